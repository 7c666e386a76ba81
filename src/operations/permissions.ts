/**
 * Who carries out an operation, and what they may do beside what the scripts check.
 */

import type { TransactionItem } from '../contract/reservations.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { Role } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { endSignIn, readSignIn, requesterOf, rightsOfUser, type SessionUser } from '../engine/tenant/signIns.ts';

/**
 * Refuses operations to derived tokens: reset, register, delete, and operations on the tenant itself
 * (docs/specification.md#jwt-exchange).
 * @throws HoldfastError forbidden for a derived token
 */
export function refuseToken({ kind }: Credential): undefined {
  if (kind === 'token') throw new HoldfastError('forbidden', 'A derived token may not do this.');
}

/** @throws HoldfastError forbidden for other credentials than derived tokens */
export function takeToken({ kind }: Credential): undefined {
  if (kind !== 'token') throw new HoldfastError('forbidden', 'This takes a derived token.');
}

/**
 * Who carries out an operation on a tenant's keys, settings, members and so on: a person who has signed in, or a
 * management token. The operation needs a right of theirs, and the audit trail names them.
 */
export interface Actor {
  /** A sign-in session, or a management token. */
  readonly credential: Credential;
  /** The id of the person; null: a management token */
  readonly userId: string | null;
  /** `person:<e-mail address or subject>`, `token:<label>` or `admin:<e-mail address or subject>` */
  readonly actor: string;
  /** The address that the request came from; for IPv6 its /64. */
  readonly address: string;
}

/** Returns true if a requester is the person: what they reserve with on the dashboard, or their own e-mail address. */
export const isOwn = (user: SessionUser, requester: string): boolean =>
  requester === requesterOf(user) || requester === user.email;

/**
 * Returns true if a person may extend and release what a requester holds without its release token, and end its waits
 * (docs/specification.md#release). The scripts check it too (lua/frame/admission.lua): pages show no button that would
 * be refused.
 */
export function mayEnd(user: SessionUser, requester: string): boolean {
  const rights = rightsOfUser(user);
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
  if (user === null || !rightsOfUser(user).includes('reserve')) return;
  if (items.every(({ requester }) => mayEnd(user, requester))) return;
  throw new HoldfastError('forbidden', `Members reserve in their own name only: "${requesterOf(user)}".`);
}

/** The items of a transaction that reserve: releases prove themselves by their tokens. */
export const reservingOf = (items: readonly TransactionItem[]): readonly TransactionItem[] =>
  items.filter(({ requestType }) => requestType === 'RESERVE');

/** Returns the role that a person has in a tenant by now; null: none */
export type RoleNow = (tenant: string, person: Pick<SessionUser, 'issuer' | 'email' | 'groups'>) => Role | null;

export interface SignedInDeps {
  readonly engine: Engine;
  /** null: sessions have the role of the moment, as with a database */
  readonly roleNow: RoleNow | null;
}

/**
 * Finds the person of a sign-in session. Without a database the configuration says who may sign in, and it may have
 * changed since: a session whose person has another role now, or none, ends (docs/specification.md#without-a-database).
 * @returns the user of the session; null if it has ended
 * @throws HoldfastError unavailable
 */
export async function signedInUser(
  { engine, roleNow }: SignedInDeps,
  session: Credential,
): Promise<SessionUser | null> {
  const user = await readSignIn(engine, session);
  if (user === null || roleNow === null || roleNow(session.tenant, user) === user.role) return user;
  await endSignIn(engine, session);
  return null;
}
