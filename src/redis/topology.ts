/**
 * Where in Redis something is: which nodes are primaries, and on which of them a key lies. Elsewhere than in a cluster
 * there is one.
 */
import { Cluster, type Redis } from 'ioredis';

/** Of a cluster. */
const SLOTS = 16_384;

/** Every primary that is known. */
export const primariesOf = (redis: Redis | Cluster): Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

/**
 * The address (host:port) of the primary that a key lies on, as far as the client knows; '' where that is the only one,
 * or none is known.
 */
export const ownerOf = (redis: Redis | Cluster, key: string): string =>
  redis instanceof Cluster ? (redis.slots[slotOf(key)]?.[0] ?? '') : '';

/** The connection to the primary that a key lies on; undefined where there is none. */
export const connectionTo = (redis: Redis | Cluster, key: string): Redis | undefined => {
  if (!(redis instanceof Cluster)) return redis;
  const owner = ownerOf(redis, key);
  return redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === owner);
};

/** The slot of a cluster that a key lies in: CRC16 (XMODEM) of its hash tag. */
export function slotOf(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return (crc & 0xffff) % SLOTS;
}
