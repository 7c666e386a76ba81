/**
 * Ends expired reservations that no request has ended (docs/specification.md#expiry). The due index lists the
 * tenants that have some, so that no other tenant is visited. Any number of sweeps may run at once.
 */
import type { RedisClient } from '../../redis/client.ts';
import { EXPIRY_SHARDS, expiryKey, keysOf, tenantKey } from '../../redis/keys.ts';
import { parseReply, toInteger } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { isAway, send } from '../../redis/send.ts';
import { ownerOf } from '../../redis/topology.ts';
import { endBacklog, pauseAfterPiece } from '../pace.ts';

/** Number of tenants that are read from a shard of the due index at a time. */
const PAGE = 100;

/** A sweep leaves queues that are not settled after this time, in ms, to the next sweep. */
const MAX_SWEEP_MS = 5000;

/** The result of a sweep. */
export interface Swept {
  /** Number of reservations that were ended. */
  readonly ended: number;
  /** The tenants in whose queue a ticket could be granted although nothing had changed. There should be none. */
  readonly stuckQueues: readonly string[];
  /** The tenants that were due: in most of them something ended. */
  readonly visited: readonly string[];
  /** The tenants whose outboxes were written (lua/events/outbox.lua). */
  readonly outboxes: readonly string[];
}

/** Redis's time in ms since 1970, UTC. */
export async function timeMs(redis: RedisClient): Promise<number> {
  const [seconds = 0, microseconds = 0] = await send(() => redis.time());
  return seconds * 1000 + Math.floor(microseconds / 1000);
}

/**
 * Ends all expired reservations. Skips tenants of primaries that do not respond, and tenants whose state is broken.
 * @throws Error if tenants were skipped, after all others have been visited
 */
export async function sweep(redis: RedisClient): Promise<Swept> {
  const nowMs = await timeMs(redis);
  const skipped = new Map<string, unknown>();
  const stuck = new Set<string>();
  const visited = new Set<string>();
  const outboxes = new Set<string>();
  const shards = await Promise.allSettled(
    Array.from({ length: EXPIRY_SHARDS }, (_, shard) =>
      sweepShard(redis, expiryKey(shard), nowMs, skipped, { stuck, visited, outboxes }),
    ),
  );
  for (const error of skipped.values()) throw error;
  const ended = shards.reduce((sum, shard) => {
    if (shard.status === 'rejected') throw shard.reason;
    return sum + shard.value;
  }, 0);
  return { ended, stuckQueues: [...stuck], visited: [...visited], outboxes: [...outboxes] };
}

/**
 * Returns the age of the most overdue reservation. While sweeps run, this is about the time between two of them.
 * @returns ms; 0 if nothing is due
 */
export async function overdueMs(redis: RedisClient): Promise<number> {
  const nowMs = await timeMs(redis);
  const firsts = await Promise.all(
    Array.from({ length: EXPIRY_SHARDS }, (_, shard) =>
      send(() => redis.zrange(expiryKey(shard), '0', '0', 'WITHSCORES')),
    ),
  );
  return Math.max(0, ...firsts.map(([, due]) => (due === undefined ? 0 : nowMs - Number(due))));
}

/**
 * Passes over the due tenants of a shard until a pass changes nothing. Each visit ends a part of a tenant's backlog, so
 * that a tenant with a large backlog does not delay the others.
 * @param skipped collects the primaries that do not respond and the tenants whose state is broken, with their errors.
 * They are not visited again in this sweep
 * @param collected collects the tenants whose queue had to be moved, those that were due, and those whose outboxes were
 * written
 */
async function sweepShard(
  redis: RedisClient,
  shardKey: string,
  nowMs: number,
  skipped: Map<string, unknown>,
  { stuck, visited, outboxes }: Readonly<Record<'stuck' | 'visited' | 'outboxes', Set<string>>>,
): Promise<number> {
  let total = 0;
  let hasChanged = true;
  let isSlow = false;
  const endMs = performance.now() + MAX_SWEEP_MS;
  while (hasChanged && !(isSlow && !(await pauseAfterPiece(redis, shardKey, endMs)))) {
    hasChanged = false;
    isSlow = false;
    // Number of tenants of this pass that are still due. In the due index they precede those not visited yet.
    let left = 0;
    for (;;) {
      const range = [shardKey, '-inf', String(nowMs), 'BYSCORE', 'LIMIT', left, PAGE, 'WITHSCORES'] as const;
      const rows = await send(() => redis.zrange(...range));
      if (rows.length === 0) break;
      for (let i = 0; i < rows.length; i += 2) {
        const [tenant = '', dueIndexed = ''] = rows.slice(i, i + 2);
        const { ended, isStuck, isDue, isChanged, isUnsettled, isOutboxWritten } = await visit(
          redis,
          shardKey,
          tenant,
          dueIndexed,
          nowMs,
          skipped,
        );
        total += ended;
        visited.add(tenant);
        if (isOutboxWritten) outboxes.add(tenant);
        if (isStuck) stuck.add(tenant);
        if (isDue) left++;
        if (isChanged) hasChanged = true;
        if (isUnsettled) isSlow = true;
      }
    }
  }
  endBacklog(redis, shardKey);
  return total;
}

interface Visit {
  readonly ended: number;
  /** True if a ticket could be granted although nothing had changed. */
  readonly isStuck: boolean;
  /** True if the tenant is still due by the due index. */
  readonly isDue: boolean;
  readonly isChanged: boolean;
  /** True if the tenant's queue has work left. */
  readonly isUnsettled: boolean;
  readonly isOutboxWritten: boolean;
}

const NOT_VISITED: Visit = {
  ended: 0,
  isStuck: false,
  isDue: true,
  isChanged: false,
  isUnsettled: false,
  isOutboxWritten: false,
};

/** Ends a part of a tenant's backlog. */
async function visit(
  redis: RedisClient,
  shardKey: string,
  tenant: string,
  dueIndexed: string,
  nowMs: number,
  skipped: Map<string, unknown>,
): Promise<Visit> {
  const key = tenantKey(tenant);
  const primary = `at ${ownerOf(redis, key)}`;
  if (skipped.has(primary) || skipped.has(tenant)) return NOT_VISITED;
  try {
    const [code, ended, written, next, granted = 0] = parseReply(
      await runScript(redis, 'sweep', ...keysOf('sweep', tenant), ''),
    );
    const isOutboxWritten = toInteger(written) === 1;
    if (code === 'AGAIN') {
      const count = toInteger(ended);
      const isUnsettled = count === 0;
      return { ended: count, isStuck: false, isDue: true, isChanged: true, isUnsettled, isOutboxWritten };
    }
    const nextDue = toInteger(next);
    await runScript(redis, 'raiseDueIndex', shardKey, tenant, dueIndexed, nextDue);
    // A tenant stays due only if its shard's clock is behind, or its time was lowered meanwhile. The next sweep visits
    // it.
    const isDue = nextDue !== -1 && nextDue <= nowMs;
    const isStuck = toInteger(granted) > 0;
    return { ended: toInteger(ended), isStuck, isDue, isChanged: !isDue, isUnsettled: false, isOutboxWritten };
  } catch (error) {
    skipped.set(isAway(error) ? primary : tenant, error);
    return NOT_VISITED;
  }
}
