/**
 * Links to a tenant's Board for screens on a wall: make, revoke, follow (docs/specification.md#wallboards). Whoever has
 * a link sees the Board as a viewer does, until somebody revokes it. The token in it is no credential of the API: an
 * instance that shows a wallboard reads the Board with a session of its own, whose value never leaves it.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { beginSignIn, endSignIn, endSignIns, type SessionUser, signInLastsMs } from '../engine/tenant/signIns.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import { digestOf, makeSecret, makeSession, parseSession } from '../identity/credentials.ts';
import type { Store } from '../store/records.ts';
import * as store from '../store/tvLinks.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';

export type TvDeps = Pick<OperationDeps, 'engine'> & { readonly store: Store };

/**
 * Makes a link. Costs one write.
 * @returns its token, which is not kept
 * @throws HoldfastError refused if there are too many; unauthenticated, forbidden, unavailable; LimitError
 */
export async function createLink(deps: TvDeps, by: Actor, label: string): Promise<string> {
  await chargeWrite(deps.engine, by.credential, 'define');
  const token = makeSecret();
  await store.createLink(deps.store, by.credential.tenant, { label, digest: digestOf(token) }, by);
  return token;
}

/**
 * Revokes a link. Its pages and streams have ended when this returns.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable
 */
export async function deleteLink(deps: TvDeps, by: Actor, id: string): Promise<void> {
  const { tenant } = by.credential;
  await verifyCredential(deps.engine, by.credential, 'define');
  await store.deleteLink(deps.store, tenant, id, by);
  await endSignIns(deps.engine, tenant, id);
}

/** Time that a session of an instance lasts, and after which it makes another. */
const LASTS_MS = 600_000;
const RENEW_MS = LASTS_MS / 2;

/** The sessions of this instance, by link. */
const sessions = new Map<string, string>();
const MAX_SESSIONS = 1000;

/** A link that somebody follows, and the credential that reads the Board for it. */
export interface Followed extends Pick<store.FollowedLink, 'label' | 'tenantName'> {
  readonly credential: Credential;
}

/**
 * Finds the credential that reads the Board for a link.
 * @throws HoldfastError unknown if there is no such link; unavailable
 */
export async function followLink(deps: TvDeps, token: string): Promise<Followed> {
  const digest = digestOf(token);
  const link = await store.findLink(deps.store, digest);
  if (link === null) throw noSuchLink();
  const { label, tenantName } = link;
  const known = parseSession(sessions.get(link.id) ?? '');
  if (known !== null && (await signInLastsMs(deps.engine, known)) > RENEW_MS)
    return { credential: known, label, tenantName };
  const session = makeSession(link.tenant);
  const credential = parseSession(session);
  if (credential === null) throw new TypeError('a session that was just made cannot be read');
  await beginSignIn(deps.engine, credential, viewerOf(link), LASTS_MS);
  // It may have been revoked since it was read.
  if ((await store.findLink(deps.store, digest)) === null) {
    await endSignIn(deps.engine, credential);
    throw noSuchLink();
  }
  if (sessions.size === MAX_SESSIONS) sessions.clear();
  sessions.set(link.id, session);
  return { credential, label, tenantName };
}

const noSuchLink = () => new HoldfastError('unknown', 'There is no such wallboard. Its link may have been revoked.');

const viewerOf = ({ id, label, tenantName }: store.FollowedLink): SessionUser => ({
  id,
  role: 'viewer',
  tenantName,
  issuer: 'wallboard',
  subject: id,
  email: null,
  name: label,
  groups: [],
  joined: [],
  hasSeveral: false,
  describedUntilMs: Number.MAX_SAFE_INTEGER,
});
