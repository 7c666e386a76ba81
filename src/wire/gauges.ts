/**
 * Metrics that are read when Prometheus asks for them, and the counters of event streams and of waits.
 */
import { overdueMs } from '../engine/expiry/sweep.ts';
import { longestWaitingMs } from '../engine/history/stream.ts';
import { readSummary } from '../engine/notices/outboxState.ts';
import { END_REASONS } from '../events/stream.ts';
import type { StreamsObserver } from '../events/streams.ts';
import type { RedisClient } from '../redis/client.ts';
import { memoryUsed, redisFault } from '../redis/health.ts';
import type { Database } from '../store/database.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type OnWaitEnded, WAIT_OUTCOMES } from '../waiting/news.ts';

interface Sized {
  readonly size: number;
}

interface Measured {
  readonly redis: RedisClient;
  /** null: the in-memory mode */
  readonly database: Database | null;
  /** null: this instance serves no API */
  readonly pushes: { readonly streams: Sized; readonly calls: Sized } | null;
}

export function addGauges(metrics: Metrics, { redis, database, pushes }: Measured): void {
  const isFit = () => redisFault(redis).then((fault) => fault === null);
  metrics.addGauge('redis_up', 'Whether Redis is usable: 1 or 0', () => isFit().then(Number, () => 0));
  metrics.addGauge(
    'redis_memory_used_ratio',
    'Share of maxmemory that the fullest primary uses; missing if Redis has no maxmemory',
    () => memoryUsed(redis),
  );
  if (database !== null) {
    metrics.addGauge('database_up', 'Whether the database responds: 1 or 0', () => database.isUp().then(Number));
    metrics.addGauge(
      'history_waiting_seconds',
      'How long entries of the history have waited to be moved to the database, over all instances',
      async () => (await longestWaitingMs(redis)) / 1000,
    );
    metrics.addGauge(
      'notices_waiting_seconds',
      'Age of the oldest event that waits for its first attempt to be delivered, over all instances',
      async () => {
        const { waitingSinceMs } = await readSummary(redis);
        return waitingSinceMs === null ? 0 : Math.max(0, Date.now() - waitingSinceMs) / 1000;
      },
    );
    metrics.addGauge(
      'outbox_bytes',
      'Bytes of the outboxes of all tenants',
      async () => (await readSummary(redis)).bytes,
    );
  }
  if (pushes !== null) {
    metrics.addGauge('streams_open', 'Event streams open at this instance', () => pushes.streams.size);
    metrics.addGauge(
      'long_polls',
      'Long polls: requests that wait, whose responses this instance holds',
      () => pushes.calls.size,
    );
  }
  metrics.addGauge(
    'sweep_lag_seconds',
    'Age of the most overdue reservation, over all instances',
    async () => (await overdueMs(redis)) / 1000,
  );
}

/** Counts delivered events and closed streams. */
export function streamsObserver(metrics: Metrics): StreamsObserver {
  for (const reason of END_REASONS) metrics.countStreamEnd(reason, 0);
  return {
    delivered: (events) => metrics.countDelivered(events),
    ended: (reason) => metrics.countStreamEnd(reason),
  };
}

/** Counts the ends of waits, and times those that were granted. */
export function onWaitEnded(metrics: Metrics): OnWaitEnded {
  for (const outcome of WAIT_OUTCOMES) metrics.countWaitEnd(outcome, 0);
  return (outcome, waitedMs) => {
    metrics.countWaitEnd(outcome);
    if (waitedMs !== undefined) metrics.timeWait(waitedMs);
  };
}
