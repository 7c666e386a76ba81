/**
 * The activity of tenants, for the dashboard: operations, refusals and requests of each minute, when keys were last
 * used, and when each tenant was active last.
 * An instance counts in memory and writes to Redis every few seconds, so that requests cost no call. An instance that
 * dies loses the counts that it had not written.
 */
import type { Logger } from 'pino';
import type { Credential } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { ACTIVE_KEY, activityKey, keysOf, usedKey } from '../../redis/keys.ts';
import { runScript } from '../../redis/scripts.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../engine.ts';
import { pace } from '../pace.ts';
import { RefusalCounts } from './refusals.ts';

const FLUSH_EVERY_MS = 2000;
const MINUTES = 60;

/** The operations of one request, and how many of them were refused. */
export interface Outcome {
  readonly operations: number;
  readonly refusals: number;
}

export interface Minute extends Outcome {
  /** Start of the minute, in ms since 1970 UTC. */
  readonly startMs: number;
  /** Of valid credentials. */
  readonly requests: number;
}

interface Counts {
  operations: number;
  refusals: number;
  requests: number;
  /** Keys that were used, as scripts look them up. */
  readonly keys: Set<string>;
}

export class Activity {
  readonly #redis: RedisClient;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #refused = new RefusalCounts();
  readonly #closing = new AbortController();
  #counts = new Map<string, Counts>();
  /** The writes of the last round; null: they are done */
  #round: Promise<void> | null = null;

  constructor(redis: RedisClient, log: Logger) {
    this.#redis = redis;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.#round ??= this.#flush().finally(() => {
        this.#round = null;
      });
    }, FLUSH_EVERY_MS);
  }

  /** Counts a request whose credential was valid. */
  count({ tenant, credentialKey, kind }: Credential, { operations, refusals }: Outcome): void {
    let counts = this.#counts.get(tenant);
    if (counts === undefined) {
      counts = { operations: 0, refusals: 0, requests: 0, keys: new Set() };
      this.#counts.set(tenant, counts);
    }
    counts.operations += operations;
    counts.refusals += refusals;
    counts.requests++;
    if (kind === 'key') counts.keys.add(credentialKey);
  }

  /** Counts a resource that a request could not have (docs/specification.md#refusals). */
  countRefused({ tenant }: Credential, resource: string): void {
    this.#refused.countResource(tenant, resource);
  }

  /** Counts a request that a limit refused. */
  countLimited({ tenant }: Credential, limitType: string): void {
    this.#refused.countLimit(tenant, limitType);
  }

  /** Writes the counts to Redis, a piece of the tenants at a time. Those of a piece that fails are lost. */
  async #flush(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    await pace([...counts], (piece) => this.#write(piece), this.#closing.signal);
  }

  async #write(piece: readonly (readonly [string, Counts])[]): Promise<void> {
    const writes = piece.map(([tenant, { operations, refusals, requests, keys }]) =>
      runScript(this.#redis, 'activity', ...keysOf('activity', tenant), operations, refusals, requests, ...keys),
    );
    const tenants = piece.map(([tenant]) => tenant);
    const now = String(Date.now());
    const active = tenants.flatMap((tenant) => [now, tenant]);
    // Once the counts are written: readers that find a tenant among the active ones find its counts too.
    await Promise.all([...writes, this.#refused.flush(this.#redis, tenants)])
      .then(() => send(() => this.#redis.zadd(ACTIVE_KEY, ...active)))
      .catch((err: unknown) => this.#log.debug({ err }, 'activity was not written'));
  }

  /** Writes what is not written yet, as fast as Redis takes it. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#round;
    await this.#flush();
  }
}

/**
 * Reads the last hour of a tenant, minute by minute, the earliest first.
 * @throws HoldfastError unavailable
 */
export async function lastHour({ redis }: Pick<Engine, 'redis'>, tenant: string): Promise<Minute[]> {
  const rows = await send(() => redis.hvals(activityKey(tenant)));
  const byMinute = new Map(
    rows.map((row) => {
      const [minute = 0, operations = 0, refusals = 0, requests = 0] = row.split(' ').map(Number);
      return [minute, { operations, refusals, requests }];
    }),
  );
  const now = Math.floor(Date.now() / 60_000);
  return Array.from({ length: MINUTES }, (_, i) => {
    const minute = now - MINUTES + 1 + i;
    return { startMs: minute * 60_000, ...(byMinute.get(minute) ?? { operations: 0, refusals: 0, requests: 0 }) };
  });
}

/**
 * Reads when each of a tenant's keys was last used: its digest → ms since 1970 UTC.
 * @throws HoldfastError unavailable
 */
export async function lastUses({ redis }: Pick<Engine, 'redis'>, tenant: string): Promise<ReadonlyMap<string, number>> {
  const uses = await send(() => redis.hgetall(usedKey(tenant)));
  return new Map(Object.entries(uses).map(([digest, ms]) => [digest, Number(ms)]));
}
