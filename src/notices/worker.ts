/**
 * The part of a worker that delivers notices: it takes hints from the queue, and every few seconds one worker looks for
 * outboxes that no hint told of, because an instance, a worker or Redis died.
 */
import { Worker } from 'bullmq';
import type { Logger } from 'pino';
import { z } from 'zod';
import { timeMs } from '../engine/expiry/sweep.ts';
import { nextEntryMs, type OutboxState, outboxState, saveSummary } from '../engine/notices/outboxState.ts';
import type { RedisClient } from '../redis/client.ts';
import { JOBS_PREFIX } from '../redis/keys.ts';
import { isAway } from '../redis/send.ts';
import { type Deliveries, isDue } from './deliveries.ts';
import { DELIVERIES } from './hints.ts';

/** Number of hints that are taken at a time. They take no time themselves. */
const CONCURRENCY = 20;
/** Number of tenants that are looked at at a time. */
const PAGE = 100;

type Wakes = Pick<Deliveries, 'wake'>;

const Hint = z.object({ tenant: z.string() });

/**
 * Takes hints.
 * @param connection for BullMQ alone
 * @returns a function that stops it
 */
export function takeHints(connection: RedisClient, { wake }: Wakes, log: Logger): () => Promise<void> {
  const worker = new Worker(DELIVERIES, async () => {}, { connection, prefix: JOBS_PREFIX, concurrency: CONCURRENCY });
  // A change makes a new hint only after this one has ended: so the visit begins after that, too.
  worker.on('completed', ({ data }) => wake(Hint.parse(data).tenant));
  worker.on('error', (err: Error) => log[isAway(err) ? 'debug' : 'warn']({ err }, 'the queue of deliveries failed'));
  return () => worker.close();
}

/** Returns a page of the tenants that may have readers, in order. @param after the last tenant of the page before */
export type TenantsOf = (after: string, limit: number) => Promise<readonly string[]>;

/**
 * Looks at all outboxes, has the tenants visited whose readers have something to get, and notes what it found.
 * @throws HoldfastError unavailable
 */
export async function lookAtAll(redis: RedisClient, tenantsOf: TenantsOf, { wake }: Wakes): Promise<void> {
  let waitingSinceMs = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let after = ''; ; ) {
    const tenants = await tenantsOf(after, PAGE);
    const nowMs = await timeMs(redis);
    const states = await Promise.all(tenants.map((tenant) => outboxState(redis, tenant, nowMs)));
    for (const [i, tenant] of tenants.entries()) {
      const state = states[i];
      if (state === undefined) continue;
      bytes += state.bytes;
      if (isDue(state) || state.mayBeFull) wake(tenant);
      waitingSinceMs = Math.min(waitingSinceMs, await waitingSince(redis, tenant, state));
      after = tenant;
    }
    if (tenants.length < PAGE) break;
  }
  await saveSummary(redis, { waitingSinceMs: Number.isFinite(waitingSinceMs) ? waitingSinceMs : null, bytes });
}

/** Returns since when the oldest event of a tenant waits for its first attempt, in ms since 1970 UTC. */
async function waitingSince(redis: RedisClient, tenant: string, { cursors }: OutboxState): Promise<number> {
  const waiting = [...cursors.values()].filter(
    ({ isBehind, isFailing, waitMs }) => isBehind && !isFailing && waitMs === 0,
  );
  const found = await Promise.all(waiting.map(({ after }) => nextEntryMs(redis, tenant, after)));
  return Math.min(...found.map((ms) => ms ?? Number.POSITIVE_INFINITY));
}
