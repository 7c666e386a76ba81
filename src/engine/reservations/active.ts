/**
 * Lists a tenant's active reservations page by page (docs/specification.md#listings). It needs memory for one page, and
 * 16 bytes for each listed reservation.
 */

import type { ActiveFilter, ActiveReservation } from '../../contract/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseReply, toInteger, toMs, toText } from '../../redis/reply.ts';
import { callRead, type Engine } from '../call.ts';
import type { Page } from '../definitions/list.ts';
import { FencingTokenSet } from './fencingTokenSet.ts';
import { readReservation } from './slotRecord.ts';

/** Slots that one call reads: about 1 ms of Redis. */
const PAGE_SLOTS = 400;

/**
 * Lists every matching reservation that exists from the first page to the last exactly once. A reservation that is made
 * or ends during the walk is listed at most once. `total` is the number of all held slots.
 * @param cost reads to charge with the first page
 * @throws HoldfastError unauthenticated, unavailable; LimitError; also after the first page
 */
export async function* active(
  engine: Engine,
  credential: Credential,
  { requester = '', resource = '' }: ActiveFilter = {},
  cost = 0,
): AsyncGenerator<Page<ActiveReservation>> {
  const given = new FencingTokenSet();
  let cursor = '0';
  let resets = '';
  do {
    const args = [cursor, resets, PAGE_SLOTS, requester, resource];
    const due = cursor === '0' ? cost : 0;
    const { quota, result } = await callRead(engine, 'active', credential, due, () => args);
    const [next, current, total, rows, ends] = result;
    cursor = toText(next);
    resets = toText(current);
    yield {
      total: toInteger(total),
      rows: toReservations(parseReply(rows), toEnds(parseReply(ends)), given),
      isLast: cursor === '0',
      quota,
    };
  } while (cursor !== '0');
}

/** Reads when the sessions end that reservations last as long as: slot → ms. */
function toEnds(list: unknown[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (let i = 0; i < list.length; i += 2) ends.set(toText(list[i]), toMs(list[i + 1]));
  return ends;
}

function toReservations(
  rows: unknown[],
  ends: ReadonlyMap<string, number>,
  given: FencingTokenSet,
): ActiveReservation[] {
  const page: ActiveReservation[] = [];
  for (let i = 0; i < rows.length; i += 2) {
    const bytes = rows[i + 1];
    const slot = toText(rows[i]);
    const reservation = bytes instanceof Buffer ? readReservation(slot, bytes, ends.get(slot)) : null;
    if (reservation !== null && given.add(reservation.fencingToken)) page.push(reservation);
  }
  return page;
}
