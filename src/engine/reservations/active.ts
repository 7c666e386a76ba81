/**
 * Walks over a tenant's reservations in force, page by page, in bounded memory: a page and 16 bytes for each
 * reservation given.
 */
import { DEFAULT_RESOURCE_TYPE } from '../../domain/names.ts';
import type { ActiveReservation } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';
import type { Page } from '../definitions/list.ts';
import { FencingTokenSet } from './fencingTokenSet.ts';
import { readRecord } from './slotRecord.ts';

/** Slots looked at by one call: about 1 ms of Redis. */
const PAGE_SLOTS = 400;

/** Which reservations are wanted; what is left out is any. */
export interface ActiveFilter {
  readonly requester?: string | undefined;
  /** As it was asked for. */
  readonly resource?: string | undefined;
}

/**
 * Gives every wanted reservation that is there from the first page to the last exactly once; one that comes or goes in
 * the meantime at most once. `total` is the number of slots that are held in all.
 * @throws HoldfastError unauthenticated, unavailable; in the middle too
 */
export async function* active(
  engine: Engine,
  credential: Credential,
  { requester = '', resource = '' }: ActiveFilter = {},
): AsyncGenerator<Page<ActiveReservation>> {
  const given = new FencingTokenSet();
  let cursor = '0';
  let resets = '';
  do {
    const args = [cursor, resets, PAGE_SLOTS, requester, resource];
    const [next, current, total, rows] = await call(engine, 'activeBuffer', credential, () => args);
    cursor = toText(next);
    resets = toText(current);
    yield { total: toInteger(total), rows: toReservations(parseReply(rows), given), isLast: cursor === '0' };
  } while (cursor !== '0');
}

function toReservations(rows: unknown[], given: FencingTokenSet): ActiveReservation[] {
  const page: ActiveReservation[] = [];
  for (let i = 0; i < rows.length; i += 2) {
    const bytes = rows[i + 1];
    const record = bytes instanceof Buffer ? readRecord(bytes) : null;
    if (record === null || !given.add(record.fencingToken)) continue;
    page.push({
      resource: record.requestedName ?? toText(rows[i]),
      requester: record.owner,
      resourceType: record.resourceType || DEFAULT_RESOURCE_TYPE,
      reservedAt: new Date(record.reservedAt).toISOString(),
      expiresAt: record.expiresAt === 0 ? null : new Date(record.expiresAt).toISOString(),
      ...record.details,
      fencingToken: record.fencingToken,
      apiKeyLabel: record.keyLabel || null,
    });
  }
  return page;
}
