/**
 * Finds the primaries, and the primary that has a key. Outside a cluster there is one primary.
 *
 * In a cluster, a script works on the keys of one tenant, which lie in one slot; BullMQ's keys lie in {bull}. Each
 * script is passed every key that it may touch: while a cluster moves the slot, Redis then answers TRYAGAIN instead of
 * running the script on a part of them. Code that looks at more than one tenant uses primariesOf and ownerOf, and must
 * not let one unreachable primary keep it from the others. Commands run through send(), which waits while a primary is
 * replaced.
 */
import { Cluster, type Redis } from 'ioredis';

/** The number of hash slots of a cluster. */
const SLOTS = 16_384;

/** Returns all known primaries. */
export const primariesOf = (redis: Redis | Cluster): Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

/**
 * Returns the address (host:port) of the primary that has a key, as far as the client knows; '' if there is only one
 * primary, or none is known.
 */
export const ownerOf = (redis: Redis | Cluster, key: string): string =>
  redis instanceof Cluster ? (redis.slots[slotOf(key)]?.[0] ?? '') : '';

/** Returns the connection to the primary that has a key; undefined if there is none. */
export const connectionTo = (redis: Redis | Cluster, key: string): Redis | undefined => {
  if (!(redis instanceof Cluster)) return redis;
  const owner = ownerOf(redis, key);
  return redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === owner);
};

/** Returns the hash slot of a key: CRC16 (XMODEM) of its hash tag. */
export function slotOf(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return (crc & 0xffff) % SLOTS;
}
