/**
 * Lists a tenant's active reservations page by page (docs/specification.md#listings). It needs memory for two pages,
 * and 16 bytes for each listed reservation.
 */

import type { ActiveFilter, ActiveReservation } from '../../contract/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseReply, toInteger, toMs, toText } from '../../redis/reply.ts';
import { callRead } from '../call.ts';
import type { Page } from '../definitions/list.ts';
import type { Engine } from '../engine.ts';
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
  const read = async (cursor: string, resets: string) => {
    const args = [cursor, resets, PAGE_SLOTS, requester, resource];
    const { quota, result } = await callRead(engine, 'active', credential, cursor === '0' ? cost : 0, () => args);
    const [next, current, total, rows, ends] = result;
    return { quota, next: toText(next), resets: toText(current), total: toInteger(total), rows, ends };
  };
  const toPage = ({ quota, next, total, rows, ends }: Awaited<ReturnType<typeof read>>) => ({
    total,
    rows: toReservations(parseReply(rows), toEnds(parseReply(ends)), given),
    isLast: next === '0',
    quota,
  });

  let page = await read('0', '');
  yield toPage(page);
  // Nobody has asked for a second page before the list was charged. From then on Redis reads a page ahead.
  let ahead = page.next === '0' ? null : read(page.next, page.resets);
  while (ahead !== null) {
    page = await ahead;
    ahead = page.next === '0' ? null : read(page.next, page.resets);
    // Its failure is thrown when it is awaited, which a caller who has gone never does.
    ahead?.catch(() => {});
    yield toPage(page);
  }
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
