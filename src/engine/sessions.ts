/**
 * Sessions of callers (docs/specification.md#sessions): begins, renews, ends and lists them.
 */
import type {
  BegunSession,
  EndedSession,
  NewSession,
  RenewedSession,
  Session,
  SessionProof,
} from '../contract/sessions.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import { END_SESSION_STATUSES, RENEW_SESSION_STATUSES } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { parseItem, toInteger, toMs, toText, toTime } from '../redis/reply.ts';
import { callCharged, callRead } from './call.ts';
import type { Page } from './definitions/list.ts';
import type { Engine } from './engine.ts';
import { newToken, packToken, unpackToken } from './reservations/releaseToken.ts';
import { look } from './waiting/beat.ts';

/**
 * Begins a session (docs/specification.md#sessions).
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function beginSession(
  engine: Engine,
  credential: Credential,
  { requester, ttlSeconds }: NewSession,
  idempotency?: Idempotency,
): Promise<Charged<BegunSession>> {
  const id = newToken();
  const token = newToken();
  const args = [id, token, requester, ttlSeconds * 1000];
  const { result, ...charged } = await callCharged(engine, 'beginSession', credential, () => args, { idempotency });
  // A repeat gets the id and the token of the session that the first request began.
  const [expiresAt, session, sessionToken] = result;
  return {
    ...charged,
    result: {
      session: unpackToken(toText(session)),
      token: unpackToken(toText(sessionToken)),
      expiresAt: new Date(toMs(expiresAt)).toISOString(),
    },
  };
}

/**
 * Renews a session, and so all its reservations, whose number does not matter (docs/specification.md#sessions).
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also if the credential may not act for the session's
 * requester; LimitError
 */
export async function renewSession(
  engine: Engine,
  credential: Credential,
  { session, token }: SessionProof,
  idempotency?: Idempotency,
): Promise<Charged<RenewedSession>> {
  const args = [packToken(session), packToken(token ?? ''), credential.subject ?? ''];
  const { result, ...charged } = await callCharged(engine, 'renewSession', credential, () => args, { idempotency });
  const [reply, expiresAt] = result;
  const status = RENEW_SESSION_STATUSES.find((one) => one === reply);
  if (status === undefined) throw new TypeError('renewSession returned an unknown status');
  return { ...charged, result: { status, expiresAt: toTime(toMs(expiresAt)) } };
}

/**
 * Ends a session, and so all its reservations (docs/specification.md#sessions).
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also if the credential may not act for the session's
 * requester; LimitError
 */
export async function endSession(
  engine: Engine,
  credential: Credential,
  { session, token }: SessionProof,
  idempotency?: Idempotency,
): Promise<Charged<EndedSession>> {
  const args = [packToken(session), packToken(token ?? ''), credential.subject ?? ''];
  const { result, ...charged } = await callCharged(engine, 'endSession', credential, () => args, { idempotency });
  const [reply, released] = result;
  const status = END_SESSION_STATUSES.find((one) => one === reply);
  if (status === undefined) throw new TypeError('endSession returned an unknown status');
  // The session has ended. If this fails, the tenant's next calls end its reservations.
  if (status === 'ENDED') await look(engine, credential.tenant).catch(() => {});
  return { ...charged, result: { status, released: toInteger(released) } };
}

/** Sessions that one call reads: about 1 ms of Redis. */
const PAGE = 200;

/**
 * Lists every session that exists from the first page to the last exactly once. One that begins or ends during the walk
 * is listed at most once.
 * @param cost reads to charge with the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError; also after the first page
 */
export async function* sessions(engine: Engine, credential: Credential, cost = 0): AsyncGenerator<Page<Session>> {
  const given = new Set<string>();
  let cursor = '0';
  do {
    const from = cursor;
    const due = from === '0' ? cost : 0;
    const { quota, result } = await callRead(engine, 'sessions', credential, due, () => [from, PAGE]);
    const [next, total, ...rows] = result;
    cursor = toText(next);
    const page = rows.map(toSession).filter(({ session }) => !given.has(session));
    for (const { session } of page) given.add(session);
    yield { total: toInteger(total), rows: page, isLast: cursor === '0', quota };
  } while (cursor !== '0');
}

function toSession(row: unknown): Session {
  const [id, requester, ttlMs, createdAt, expiresAt, holds, label] = parseItem(row);
  return {
    session: unpackToken(toText(id)),
    requester: toText(requester),
    ttlSeconds: toInteger(ttlMs) / 1000,
    createdAt: new Date(toMs(createdAt)).toISOString(),
    expiresAt: new Date(toMs(expiresAt)).toISOString(),
    holds: toInteger(holds),
    apiKeyLabel: toText(label) || null,
  };
}
