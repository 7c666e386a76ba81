/**
 * Redis keeps how many messages an address got in the last hour, of all tenants together, and what waits for its
 * digest (docs/specification.md#e-mail). All keys of an address are in one hash slot.
 */
import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../../redis/client.ts';
import { mailKeys } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of messages to an address in an hour. */
export const MAX_AN_HOUR = 30;
/** Those that subscriptions may take: personal messages are of use for minutes, and cannot wait for a digest. */
export const MAX_OF_SUBSCRIPTIONS = 20;
/** Maximum number of lines that wait. Of more, the oldest are only counted. */
export const MAX_LINES = 100;
/** Time for which lines wait at most: longer than any mail server may be away. */
const KEPT_MS = 4 * 24 * HOUR_MS;

/** The address may get a message now, or only after so many ms. */
export type Place = { readonly giveBack: () => Promise<void> } | { readonly inMs: number };

/**
 * Takes the place of a message. For one of a subscription, none is free while lines wait for a digest.
 * @throws HoldfastError unavailable
 */
export async function takePlace(
  redis: RedisClient,
  address: string,
  kind: 'personal' | 'subscription' | 'digest',
): Promise<Place> {
  const { sent, lines, sending } = mailKeys(address);
  const nowMs = Date.now();
  const id = randomUUID();
  const replies = await send(() =>
    redis
      .multi()
      .zremrangebyscore(sent, '-inf', nowMs - HOUR_MS)
      .zadd(sent, nowMs, id)
      .zcard(sent)
      .zrange(sent, '0', '0', 'WITHSCORES')
      .pexpire(sent, HOUR_MS)
      .exists(lines, sending)
      .exec(),
  );
  const [, , count, oldest, , waiting] = (replies ?? []).map(([, reply]) => reply);
  const giveBack = async () => void (await send(() => redis.zrem(sent, id)));
  const hasRoom = Number(count) <= (kind === 'subscription' ? MAX_OF_SUBSCRIPTIONS : MAX_AN_HOUR);
  if (hasRoom && (kind !== 'subscription' || waiting === 0)) return { giveBack };
  await giveBack();
  if (hasRoom) return { inMs: 0 };
  const oldestMs = Array.isArray(oldest) ? Number(oldest[1]) : nowMs;
  return { inMs: Math.max(1, oldestMs + HOUR_MS - nowMs) };
}

/** Adds lines to the next digest of an address. @throws HoldfastError unavailable */
export async function addLines(redis: RedisClient, address: string, added: readonly string[]): Promise<void> {
  const { lines, count } = mailKeys(address);
  await send(() =>
    redis
      .multi()
      .rpush(lines, ...added)
      .ltrim(lines, -MAX_LINES, -1)
      .incrby(count, added.length)
      .pexpire(lines, KEPT_MS)
      .pexpire(count, KEPT_MS)
      .exec(),
  );
}

/** What a digest is made of. */
export interface Waiting {
  readonly lines: readonly string[];
  /** Number of lines that there were. */
  readonly count: number;
}

/**
 * Takes the lines of an address for a digest; null: none wait. They are taken again until finishDigest() is called.
 * @throws HoldfastError unavailable
 */
export async function takeLines(redis: RedisClient, address: string): Promise<Waiting | null> {
  const { lines, count, sending, sendingCount } = mailKeys(address);
  const isUnfinished = (await send(() => redis.exists(sending))) === 1;
  if (!isUnfinished) {
    if ((await send(() => redis.exists(lines))) === 0) return null;
    await send(() => redis.multi().rename(lines, sending).rename(count, sendingCount).exec());
  }
  const taken = await send(() => redis.lrange(sending, 0, -1));
  const total = Number(await send(() => redis.get(sendingCount)));
  return taken.length === 0 ? null : { lines: taken, count: Math.max(total, taken.length) };
}

/** Forgets the lines that takeLines() took. @throws HoldfastError unavailable */
export async function finishDigest(redis: RedisClient, address: string): Promise<void> {
  const { sending, sendingCount } = mailKeys(address);
  await send(() => redis.del(sending, sendingCount));
}
