/**
 * Walks over a tenant's reservations in force (decisions, section 6), page by page, in bounded memory: a page and 16 bytes
 * for each reservation given.
 */
import { DEFAULT_RESOURCE_TYPE } from '../domain/names.ts';
import type { ActiveReservation } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';
import { FencingTokenSet } from './fencingTokenSet.ts';
import { readRecord } from './record.ts';
import { parseReply, toText } from './reply.ts';

/** Slots looked at by one call: about 0.5 ms of Redis. */
const PAGE_SLOTS = 1000;

/**
 * Gives every reservation that is there from the first page to the last exactly once; one that comes or goes in the
 * meantime at most once.
 * @throws HoldfastError unauthenticated, unavailable; in the middle too
 */
export async function* active(engine: Engine, credential: Credential): AsyncGenerator<ActiveReservation[]> {
  const given = new FencingTokenSet();
  let cursor = '0';
  let epoch = '';
  do {
    const at = cursor;
    const [next, current, rows] = await call(engine, 'activeBuffer', credential, () => [at, epoch, PAGE_SLOTS]);
    cursor = toText(next);
    epoch = toText(current);
    yield toReservations(parseReply(rows), given);
  } while (cursor !== '0');
}

function toReservations(rows: unknown[], given: FencingTokenSet): ActiveReservation[] {
  const page: ActiveReservation[] = [];
  for (let i = 0; i < rows.length; i += 2) {
    const bytes = rows[i + 1];
    const record = bytes instanceof Buffer ? readRecord(bytes) : null;
    if (record === null || !given.add(record.fencingToken)) continue;
    page.push({
      resource: record.asked ?? toText(rows[i]),
      requester: record.owner,
      resourceType: record.resourceType || DEFAULT_RESOURCE_TYPE,
      reservedAt: new Date(record.reservedAt).toISOString(),
      expiresAt: record.expiresAt === 0 ? null : new Date(record.expiresAt).toISOString(),
      ...record.shown,
      fencingToken: record.fencingToken,
      apiKeyLabel: record.keyLabel || null,
    });
  }
  return page;
}
