/**
 * Makes resources bookable, and bookings of their slots, directly in Redis.
 */
import { randomBytes } from 'node:crypto';
import type { Instance } from './service.ts';

const IS_BOOKABLE = 0x20;

/** Makes registered resources bookable. */
export async function makeBookable({ redis, tenant }: Instance, ...names: string[]): Promise<void> {
  const key = `{${tenant}}:definitions`;
  for (const name of names) {
    const packed = await redis.hgetBuffer(key, name);
    if (packed === null) throw new Error(`${name} is not registered`);
    // Version, capacity and flags come first, then the parent, which ends with 0.
    const end = packed.indexOf(0, 6) + 1;
    const flags = (packed[end] ?? 0) | IS_BOOKABLE;
    await redis.hset(key, name, Buffer.concat([packed.subarray(0, end), Buffer.from([flags])]));
  }
}

/** Books a slot. Times are in s since 1970. */
export async function addBooking(
  { redis, tenant }: Instance,
  slot: string,
  start: number,
  end: number,
  requester: string,
): Promise<void> {
  const id = randomBytes(16).toString('base64url').padEnd(22, 'A').slice(0, 22);
  await redis.zadd(`{${tenant}}:booked`, 0, `s${slot}\n${start}${end}${id}\n${requester}`);
}
