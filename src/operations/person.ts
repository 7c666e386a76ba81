/**
 * In whose name a person may reserve, and what they may extend and end without its release token
 * (docs/specification.md#release). The scripts check the latter too (lua/frame/admission.lua): pages show no button
 * that would be refused.
 */
import type { TransactionItem } from '../contract/reservations.ts';
import { HoldfastError } from '../domain/errors.ts';
import { RIGHTS_OF_ROLE } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { readSignIn, requesterOf, type SessionUser } from '../engine/tenant/signIns.ts';

/** Whether a requester is the person: what they reserve with on the dashboard, or their own e-mail address. */
export const isOwn = (user: SessionUser, requester: string): boolean =>
  requester === requesterOf(user) || requester === user.email;

/** Whether a person may extend and release what a requester holds, and end its waits. */
export function mayEnd(user: SessionUser, requester: string): boolean {
  const rights = RIGHTS_OF_ROLE[user.role];
  return rights.includes('force') || (rights.includes('reserve') && isOwn(user, requester));
}

/**
 * Refuses a person who would reserve, or begin a session, in another's name: a reserve returns the release token of
 * what the requester holds already, so a member could release what others hold.
 * @param items those that reserve, or begin a session
 * @returns undefined for other callers: there is nothing to wait for
 * @throws HoldfastError forbidden; unavailable
 */
export const refuseOthersNames = (
  engine: Pick<Engine, 'redis'>,
  credential: Credential,
  items: readonly { readonly requester: string }[],
): Promise<void> | undefined =>
  credential.kind === 'session' ? refuseOthersNamesTo(engine, credential, items) : undefined;

async function refuseOthersNamesTo(
  { redis }: Pick<Engine, 'redis'>,
  session: Credential,
  items: readonly { readonly requester: string }[],
): Promise<void> {
  const user = await readSignIn({ redis }, session);
  // The script refuses a session that has ended, and a person who may not reserve at all.
  if (user === null || !RIGHTS_OF_ROLE[user.role].includes('reserve')) return;
  if (items.every(({ requester }) => mayEnd(user, requester))) return;
  throw new HoldfastError('forbidden', `Members reserve in their own name only: "${requesterOf(user)}".`);
}

/** The items of a transaction that reserve: releases prove themselves by their tokens. */
export const reservingOf = (items: readonly TransactionItem[]): readonly TransactionItem[] =>
  items.filter(({ requestType }) => requestType === 'RESERVE');
