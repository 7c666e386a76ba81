/**
 * Lists a tenant's sessions page by page (docs/specification.md#sessions).
 */
import type { Session } from '../../contract/sessions.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, toInteger, toMs, toText } from '../../redis/reply.ts';
import { callRead } from '../call.ts';
import type { Page } from '../definitions/list.ts';
import type { Engine } from '../engine.ts';
import { unpackToken } from '../reservations/releaseToken.ts';

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
