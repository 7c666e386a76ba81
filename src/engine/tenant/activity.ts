/**
 * What tenants do, for people to look at: operations and refusals by the minute, and when keys were last used. An
 * instance counts in memory and tells Redis every few seconds, so that requests cost nothing more; one that dies loses
 * what it had not told.
 */
import type { Logger } from 'pino';
import type { Credential } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { activityKey, keysOf, usedKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

const TELL_EVERY_MS = 2000;
const MINUTES = 60;

/** What one request came to. */
export interface Outcome {
  readonly operations: number;
  readonly refusals: number;
}

export interface Minute extends Outcome {
  /** ms since 1970 UTC at which it began. */
  readonly startMs: number;
}

interface Counted {
  operations: number;
  refusals: number;
  readonly keys: Set<string>;
}

export class Activity {
  readonly #redis: RedisClient;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #counted = new Map<string, Counted>();

  constructor(redis: RedisClient, log: Logger) {
    this.#redis = redis;
    this.#log = log;
    this.#timer = setInterval(() => void this.tell(), TELL_EVERY_MS);
  }

  /** Counts a request whose credential was valid. */
  count({ tenant, asker, kind }: Credential, { operations, refusals }: Outcome): void {
    let counted = this.#counted.get(tenant);
    if (counted === undefined) {
      counted = { operations: 0, refusals: 0, keys: new Set() };
      this.#counted.set(tenant, counted);
    }
    counted.operations += operations;
    counted.refusals += refusals;
    if (kind === 'key') counted.keys.add(asker);
  }

  /** Tells Redis what was counted. What cannot be told is lost. */
  async tell(): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    const told = [...counted].map(([tenant, { operations, refusals, keys }]) =>
      send(() => this.#redis.hf_activity(...keysOf('activity', tenant), operations, refusals, ...keys)),
    );
    await Promise.all(told).catch((err: unknown) => this.#log.debug({ err }, 'telling activity'));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.tell();
  }
}

/**
 * The last hour of a tenant, minute by minute, the earliest first.
 * @throws HoldfastError unavailable
 */
export async function lastHour(redis: RedisClient, tenant: string): Promise<Minute[]> {
  const rows = await send(() => redis.hvals(activityKey(tenant)));
  const byMinute = new Map(
    rows.map((row) => {
      const [minute = 0, operations = 0, refusals = 0] = row.split(' ').map(Number);
      return [minute, { operations, refusals }];
    }),
  );
  const now = Math.floor(Date.now() / 60_000);
  return Array.from({ length: MINUTES }, (_, i) => {
    const minute = now - MINUTES + 1 + i;
    return { startMs: minute * 60_000, ...(byMinute.get(minute) ?? { operations: 0, refusals: 0 }) };
  });
}

/**
 * When each of a tenant's keys was last used: its digest → ms since 1970 UTC.
 * @throws HoldfastError unavailable
 */
export async function lastUses(redis: RedisClient, tenant: string): Promise<ReadonlyMap<string, number>> {
  const uses = await send(() => redis.hgetall(usedKey(tenant)));
  return new Map(Object.entries(uses).map(([digest, ms]) => [digest, Number(ms)]));
}
