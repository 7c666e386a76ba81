/**
 * Metrics that are read when Prometheus asks for them, and the counters of event streams.
 */
import { overdueMs } from '../engine/expiry/sweep.ts';
import { END_REASONS } from '../events/stream.ts';
import type { Streams, StreamsObserver } from '../events/streams.ts';
import type { RedisClient } from '../redis/client.ts';
import { redisFault } from '../redis/health.ts';
import type { Database } from '../store/database.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface Measured {
  readonly redis: RedisClient;
  /** null: the in-memory mode */
  readonly database: Database | null;
  /** null: this instance serves no API */
  readonly streams: Streams | null;
}

export function addGauges(metrics: Metrics, { redis, database, streams }: Measured): void {
  const isFit = () => redisFault(redis).then((fault) => fault === null);
  metrics.addGauge('redis_up', 'Whether Redis is usable: 1 or 0', () => isFit().then(Number, () => 0));
  if (database !== null)
    metrics.addGauge('database_up', 'Whether the database responds: 1 or 0', () => database.isUp().then(Number));
  if (streams !== null) metrics.addGauge('streams_open', 'Event streams open at this instance', () => streams.size);
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
