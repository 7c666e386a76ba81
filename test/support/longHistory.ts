/**
 * Long histories, written directly into a tenant's stream in the form of lua/history/ended.lua: ten reservations in
 * each entry, as a batch leaves them.
 */
import type { RedisClient } from '../../src/redis/client.ts';
import { historyKey } from '../../src/redis/keys.ts';

/** A name of 512 bytes. */
export const longName = (i: number): string => `${i}-`.padEnd(12, 'x') + 'é'.repeat(250);
const NOTE = '🎉'.repeat(500);

/** More bytes than any reservation has that addIn() adds. */
export const LONGEST = 4000;

/** A released reservation of the full form of lua/slots/codec.lua. */
function released(number: number, at: number, isLong: boolean): Buffer {
  const resource = isLong ? longName(number) : `printer-${number}`;
  const integers = Buffer.alloc(19);
  // 7 bytes for the fencing token, 6 for each of the times.
  integers.writeUIntBE(number, 1, 6);
  integers.writeUIntBE(at - 1000, 7, 6);
  const head = Buffer.from(`${resource}\n${at} \n\u0003\0\0\0\u0001me\0\0\0`);
  const details = isLong ? JSON.stringify({ x: { note: NOTE } }) : '';
  return Buffer.concat([head, integers, Buffer.from(`${'x'.repeat(22)}\0\0${resource}\0\0${details}\0`)]);
}

/** Adds reservations that ended a moment ago, numbered from 1. */
export async function addIn(redis: RedisClient, tenant: string, count: number, { isLong = false } = {}): Promise<void> {
  const at = Date.now() - 1000;
  const pipeline = redis.pipeline();
  for (let i = 0; i < count; i += 10) {
    const fields = Array.from({ length: 10 }, (_, j) => ['R', released(i + j + 1, at, isLong)]).flat();
    pipeline.xadd(historyKey(tenant), '*', ...fields);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}
