/**
 * How full the outboxes of tenants are, and how far their readers have come: read without scripts, for workers that
 * decide what to do next.
 */
import type { RedisClient } from '../../redis/client.ts';
import { cursorsKey, NOTICES_KEY, outboxKey, tenantKey } from '../../redis/keys.ts';
import { readHot } from '../../redis/layouts.ts';
import { send } from '../../redis/send.ts';
import { timeMs } from '../expiry/sweep.ts';

export interface CursorState {
  /** The last entry that is done with. */
  readonly after: string;
  /** True if there is something that it has not got yet. */
  readonly isBehind: boolean;
  /** True if the last attempt failed. */
  readonly isFailing: boolean;
  /** Time until a worker may take a batch, in ms; 0: now */
  readonly waitMs: number;
}

export interface OutboxState {
  /** The version of the tenant's record. Each change of what its readers want makes another one. */
  readonly version: string;
  readonly entries: number;
  readonly bytes: number;
  /** Reader → its cursor. */
  readonly cursors: ReadonlyMap<string, CursorState>;
  /** True if moveSlowest() may have something to do. */
  readonly mayBeFull: boolean;
}

const DAY_MS = 24 * 3_600_000;
/** What moveSlowest() goes by (lua/verbs/cursors.lua), for the smallest outbox. */
const [MANY_ENTRIES, MANY_BYTES, OLD_MS] = [7500, 1_500_000, 3 * DAY_MS];

const NONE: OutboxState = { version: '', entries: 0, bytes: 0, cursors: new Map(), mayBeFull: false };

/** @throws HoldfastError unavailable */
export async function outboxState(redis: RedisClient, tenant: string, nowMs?: number): Promise<OutboxState> {
  const [now, [hot, version], cursors] = await Promise.all([
    nowMs ?? timeMs(redis),
    send(() => redis.hmgetBuffer(tenantKey(tenant), 'hot', 'version')),
    send(() => redis.hgetall(cursorsKey(tenant))),
  ]);
  const { box } = readHot(hot);
  if (box === null) return NONE;
  const states = Object.entries(cursors).map(([id, text]) => [id, toState(text, box.events, now)] as const);
  const oldest = Math.min(
    ...states.filter(([, { isBehind }]) => isBehind).map(([, { after }]) => Number.parseInt(after, 10)),
  );
  const bytes = box.to - box.from;
  return {
    version: version?.toString() ?? '',
    entries: box.entries,
    bytes,
    cursors: new Map(states),
    mayBeFull: box.entries > 0 && (box.entries >= MANY_ENTRIES || bytes >= MANY_BYTES || oldest < now - OLD_MS),
  };
}

function toState(text: string, events: number, nowMs: number): CursorState {
  const [head = ''] = text.split('\n');
  const [after = '', passed, failures, , nextAt, leasedTo] = head.split(' ');
  return {
    after,
    isBehind: Number(passed) !== events,
    isFailing: Number(failures) > 0,
    waitMs: Math.max(0, Number(nextAt) - nowMs, Number(leasedTo) - nowMs),
  };
}

/**
 * Returns when the first entry behind a cursor was made, in ms since 1970 UTC; null: there is none
 * @throws HoldfastError unavailable
 */
export async function nextEntryMs(redis: RedisClient, tenant: string, after: string): Promise<number | null> {
  const [next] = await send(() => redis.xrange(outboxKey(tenant), `(${after}`, '+', 'COUNT', 1));
  return next === undefined ? null : Number.parseInt(next[0], 10);
}

/** What a look at all outboxes has found. */
export interface Summary {
  /** Since when the oldest event waits for its first attempt, in ms since 1970 UTC; null: none waits */
  readonly waitingSinceMs: number | null;
  /** Bytes of all outboxes. */
  readonly bytes: number;
}

/** @throws HoldfastError unavailable */
export async function saveSummary(redis: RedisClient, { waitingSinceMs, bytes }: Summary): Promise<void> {
  await send(() => redis.set(NOTICES_KEY, `${waitingSinceMs ?? ''} ${bytes}`));
}

/** Returns that of the last look of any worker. @throws HoldfastError unavailable */
export async function readSummary(redis: RedisClient): Promise<Summary> {
  const [since = '', bytes = '0'] = ((await send(() => redis.get(NOTICES_KEY))) ?? ' 0').split(' ');
  return { waitingSinceMs: since === '' ? null : Number(since), bytes: Number(bytes) };
}
