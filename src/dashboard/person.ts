/**
 * What a person may extend and end on the pages without its release token (docs/specification.md#release). The scripts
 * check the same (lua/lib/mayForce.lua): pages show no button that would be refused.
 */
import { RIGHTS_OF_ROLE } from '../domain/rights.ts';
import { requesterOf, type SessionUser } from '../engine/tenant/signIns.ts';

/** Whether a requester is the person: what they reserve with on the dashboard, or their own e-mail address. */
export const isOwn = (user: SessionUser, requester: string): boolean =>
  requester === requesterOf(user) || requester === user.email;

/** Whether a person may extend and release what a requester holds, and end its waits. */
export function mayEnd(user: SessionUser, requester: string): boolean {
  const rights = RIGHTS_OF_ROLE[user.role];
  return rights.includes('force') || (rights.includes('reserve') && isOwn(user, requester));
}
