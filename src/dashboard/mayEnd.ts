/**
 * What a person may end on the pages without its release token (docs/specification.md#release). The scripts check the
 * same (lua/lib/mayForce.lua): pages show no button that would be refused.
 */
import { RIGHTS_OF_ROLE } from '../domain/rights.ts';
import type { SessionUser } from '../engine/tenant/signIns.ts';

/** Whether a person may release what a requester holds, and end its waits. */
export function mayEnd({ role, email }: SessionUser, requester: string): boolean {
  const rights = RIGHTS_OF_ROLE[role];
  return rights.includes('force') || (rights.includes('reserve') && requester === email);
}
