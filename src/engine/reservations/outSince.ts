/**
 * Reads since when slots of a resource have been out of service, as lua/slots/marks.lua keeps it.
 */
import type { RedisClient } from '../../redis/client.ts';
import { conditionsKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

/** Slots that a bitmap has (lua/slots/pools.lua). */
const CHUNK_SLOTS = 512;
/** Fields that one command reads. */
const PIECE = 200;

/**
 * @param capacity the number of its slots
 * @returns ms since 1970 UTC, of each slot that is out of service
 * @throws HoldfastError unavailable
 */
export async function outSince(
  redis: RedisClient,
  tenant: string,
  resource: string,
  capacity: number,
): Promise<number[]> {
  const key = conditionsKey(tenant);
  // Nearly no resource has this field.
  if ((await send(() => redis.hexists(key, resource))) === 0) return [];
  const chunks = Array.from({ length: Math.ceil(capacity / CHUNK_SLOTS) }, (_, i) => `${resource}\u0001${i}`);
  const maps = await inPieces(chunks, (fields) => send(() => redis.hmgetBuffer(key, ...fields)));
  const slots = maps.flatMap((map, chunk) => numbersIn(map).map((number) => chunk * CHUNK_SLOTS + number));
  const fields = slots.map((number) => `\u0003${capacity === 1 ? resource : `${resource}_${number}`}`);
  const texts = await inPieces(fields, (part) => send(() => redis.hmget(key, ...part)));
  const times = texts.map((text) => Number(text?.split('\n', 1)[0] || Number.NaN));
  return times.filter(Number.isFinite);
}

async function inPieces<Value>(
  fields: readonly string[],
  read: (part: readonly string[]) => Promise<Value[]>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (let i = 0; i < fields.length; i += PIECE) values.push(...(await read(fields.slice(i, i + PIECE))));
  return values;
}

/** The numbers of the bits that are set, the highest bit of the first byte first. */
const numbersIn = (map: Buffer | null): number[] =>
  [...(map ?? [])].flatMap((byte, at) =>
    byte === 0
      ? []
      : Array.from({ length: 8 }, (_, bit) => bit).flatMap((bit) => (byte & (128 >> bit) ? [8 * at + bit] : [])),
  );
