/**
 * Lists a tenant's active reservations page by page (docs/specification.md#listings). It needs memory for three pages,
 * and 16 to 32 bytes for each listed reservation.
 */
import type { ActiveFilter, ActiveReservation } from '../../contract/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Held } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { definitionsKey, slotsKey } from '../../redis/keys.ts';
import { parseReply, toInteger, toMs, toText } from '../../redis/reply.ts';
import { send } from '../../redis/send.ts';
import { call, callRead } from '../call.ts';
import type { Page } from '../definitions/list.ts';
import type { Engine } from '../engine.ts';
import { readHolders, readRecord, readReservation } from './slotRecord.ts';

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
  const read = async (cursor: string, resets: string) => {
    const args = [cursor, resets, PAGE_SLOTS, requester, resource];
    const { quota, result } = await callRead(engine, 'active', credential, cursor === '0' ? cost : 0, () => args);
    const [next, current, total, rows, ends] = result;
    return { quota, next: toText(next), resets: toText(current), total: toInteger(total), rows, ends };
  };
  const first = await read('0', '');
  let page = first;
  let given: FencingTokenSet | undefined;
  const headOf = ({ quota, next, total }: typeof page) => ({ total, isLast: next === '0', quota });
  const rowsOf = ({ rows, ends }: typeof page) => {
    given ??= new FencingTokenSet(requester === '' && resource === '' ? first.total : 0);
    return toReservations(parseReply(rows), toEnds(parseReply(ends)), given);
  };

  let firstRows: ActiveReservation[] | undefined;
  yield {
    ...headOf(first),
    // A list that is refused now needs none of its rows.
    get rows() {
      firstRows ??= rowsOf(first);
      return firstRows;
    },
  };
  // Nobody has asked for a second page before the list was charged. From then on Redis reads a page ahead.
  let ahead = page.next === '0' ? null : read(page.next, page.resets);
  while (ahead !== null) {
    page = await ahead;
    ahead = page.next === '0' ? null : read(page.next, page.resets);
    // Its failure is thrown when it is awaited, which a caller who has gone never does.
    ahead?.catch(() => {});
    yield { ...headOf(page), rows: rowsOf(page) };
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

/**
 * A set of fencing tokens that takes 16 to 32 bytes a token. A listing of a tenant's reservations uses it, so that it
 * returns none twice. A Set of numbers of the same size takes three times as much memory.
 */
export class FencingTokenSet {
  #slots: Float64Array;
  #size = 0;

  /** @param expected number of tokens. To hold more it moves all of them at once: ms if there are many */
  constructor(expected = 0) {
    this.#slots = new Float64Array(2 ** Math.max(6, Math.ceil(Math.log2(2 * expected + 1))));
  }

  /** Adds a positive integer. Returns false if the set has it already. */
  add(token: number): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    if (!insert(this.#slots, token)) return false;
    this.#size++;
    return true;
  }

  #grow(): void {
    const grown = new Float64Array(this.#slots.length * 2);
    for (const token of this.#slots) if (token !== 0) insert(grown, token);
    this.#slots = grown;
  }
}

/**
 * Inserts a token by open addressing: searches from the token's hash on for the token or an empty place. Returns
 * whether the token was inserted.
 */
function insert(slots: Float64Array, token: number): boolean {
  const mask = slots.length - 1;
  let at = Math.imul(token % 0x7fffffff, 0x9e3779b1) >>> 7;
  for (; ; at++) {
    const there = slots[at & mask];
    if (there === token) return false;
    if (there === 0) {
      slots[at & mask] = token;
      return true;
    }
  }
}

/** Slots that one call reads: about 1 ms of Redis. */
const PAGE_NAMES = 400;

export interface UnregisteredPage {
  readonly names: readonly string[];
  /** Where the next page begins; null: there is none */
  readonly next: string | null;
}

/**
 * Lists the names that are held without being registered, page by page, unordered.
 * A name that is held all the while is in at least one page. It can be in two.
 * @param cursor `next` of the page before; '0' for the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function unregistered(engine: Engine, credential: Credential, cursor: string): Promise<UnregisteredPage> {
  const [next, ...names] = await call(engine, 'unregistered', credential, () => [cursor, PAGE_NAMES]);
  const after = toText(next);
  return { names: names.map(toText), next: after === '0' ? null : after };
}

/** Slots that one command reads: about 0.2 ms of Redis. */
const PIECE = 500;
/** Reservations of one slot that is held SHARED which are looked at. */
const MAX_HOLDERS = 20;

/**
 * Returns the number of slots of a resource: 1 if it is not registered. This and the two functions below serve the
 * figures of use. They read plain data, so that a long list keeps no script busy.
 * @throws HoldfastError unavailable
 */
export async function capacityOf(redis: RedisClient, tenant: string, resource: string): Promise<number> {
  const packed = await send(() => redis.hgetBuffer(definitionsKey(tenant), resource));
  // The layout is that of lua/definitions/definitions.lua: the capacity follows the byte of the version.
  return packed === null ? 1 : packed.readUInt32BE(1);
}

/**
 * Lists the reservations in force of a resource.
 * @param capacity the number of its slots
 * @throws HoldfastError unavailable
 */
export async function heldOf(
  redis: RedisClient,
  tenant: string,
  resource: string,
  capacity: number,
): Promise<{ readonly held: Held[]; readonly looked: number }> {
  const held: Held[] = [];
  for (let first = 0; first < capacity; first += PIECE) {
    const slots =
      capacity === 1
        ? [resource]
        : Array.from({ length: Math.min(PIECE, capacity - first) }, (_, i) => `${resource}_${first + i}`);
    const records = await readSlots(redis, tenant, slots);
    const shares = slots.flatMap((slot, i) => {
      const record = records[i];
      return record == null
        ? []
        : readHolders(record)
            .slice(0, MAX_HOLDERS)
            .map((holder) => shareOf(slot, holder));
    });
    const ofShares = shares.length === 0 ? [] : await readSlots(redis, tenant, shares);
    held.push(...toHeld(slots, records), ...toHeld(shares, ofShares));
  }
  return { held, looked: capacity };
}

/**
 * Lists the reservations in force of a tenant, or the first ones that are found.
 * @param max how many are looked at
 * @throws HoldfastError unavailable
 */
export async function heldOfTenant(redis: RedisClient, tenant: string, max: number): Promise<Held[]> {
  const given = new FencingTokenSet();
  const held: Held[] = [];
  let cursor = '0';
  let looked = 0;
  do {
    const at = cursor;
    const [next, found] = await send(() => redis.hscanBuffer(slotsKey(tenant), at, 'COUNT', PIECE));
    cursor = next.toString();
    looked += found.length / 2;
    for (let i = 0; i < found.length; i += 2) {
      const [slot, packed] = [found[i], found[i + 1]];
      const record = slot && packed && readRecord(slot.toString(), packed);
      if (slot && record && given.add(record.fencingToken)) held.push(heldBy(slot.toString(), record));
    }
  } while (cursor !== '0' && looked < max);
  return held;
}

/** The field of a requester's SHARED reservation of a slot (lua/slots/shared.lua). */
const shareOf = (slot: string, requester: string): string => `${slot}\u0001${requester}\u0001`;

const readSlots = (redis: RedisClient, tenant: string, fields: readonly string[]) =>
  send(() => redis.hmgetBuffer(slotsKey(tenant), ...fields));

const toHeld = (slots: readonly string[], records: readonly (Buffer | null)[]): Held[] =>
  slots.flatMap((slot, i) => {
    const packed = records[i];
    const record = packed == null ? null : readRecord(slot, packed);
    return record === null ? [] : [heldBy(slot, record)];
  });

const heldBy = (field: string, record: NonNullable<ReturnType<typeof readRecord>>): Held => ({
  resource: record.pool || (field.split('\u0001', 1)[0] ?? field),
  requester: record.requester,
  slots: record.details.o?.length ?? 1,
  reservedAt: record.reservedAt,
  expiresAt: record.leaseEndsAt || null,
});
