/**
 * Reads since when resources are held, for the figures of their use: the reservations in force of one resource, or
 * those of a tenant. It reads plain data, so that a long list keeps no script busy.
 */
import type { Held } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { definitionsKey, slotsKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import { FencingTokenSet } from './fencingTokenSet.ts';
import { readHolders, readRecord } from './slotRecord.ts';

/** Slots that one command reads: about 0.2 ms of Redis. */
const PIECE = 500;
/** Reservations of one slot that is held SHARED which are looked at. */
const MAX_HOLDERS = 20;

/**
 * Returns the number of slots of a resource: 1 if it is not registered.
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
    const records = await read(redis, tenant, slots);
    const shares = slots.flatMap((slot, i) => {
      const record = records[i];
      return record == null
        ? []
        : readHolders(record)
            .slice(0, MAX_HOLDERS)
            .map((holder) => shareOf(slot, holder));
    });
    const ofShares = shares.length === 0 ? [] : await read(redis, tenant, shares);
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

const read = (redis: RedisClient, tenant: string, fields: readonly string[]) =>
  send(() => redis.hmgetBuffer(slotsKey(tenant), ...fields));

const toHeld = (slots: readonly string[], records: readonly (Buffer | null)[]): Held[] =>
  slots.flatMap((slot, i) => {
    const packed = records[i];
    const record = packed == null ? null : readRecord(slot, packed);
    return record === null ? [] : [heldBy(slot, record)];
  });

const heldBy = (field: string, record: NonNullable<ReturnType<typeof readRecord>>): Held => ({
  resource: record.pool || (field.split('\u0001', 1)[0] ?? field),
  slots: record.details.o?.length ?? 1,
  reservedAt: record.reservedAt,
  expiresAt: record.leaseEndsAt || null,
});
