/**
 * How soon the service serves everything again, in ms. docs/operations/redis.md#when-a-primary-fails promises 3 s for
 * a primary that is replaced; the others are promises that only this table makes.
 */
export const SERVED_WITHIN = {
  /** After a part runs again, or Redis answers again. */
  again: 3000,
  /** After the death of a primary that is replaced: 1 s to notice it, and a margin for a busy machine. */
  replaced: 6000,
  /** After `SENTINEL FAILOVER` with REDIS_WAIT_REPLICAS: "some 11 s of 503 for writes". */
  sentinelFailover: 15_000,
  /** After `CLUSTER FAILOVER`. */
  clusterFailover: 3000,
  /** After the database answers again. */
  database: 3000,
} as const;

/** Writes that replication without REDIS_WAIT_REPLICAS may lose: those that a replica had not received yet. */
export const REPLICATION_LAG_MS = 1000;

/**
 * Writes that a Redis with `everysec` may lose by its death: while an `fsync` is under way, it answers writes up to 2 s
 * before it writes them to its file.
 */
export const EVERYSEC_MS = 2000;
