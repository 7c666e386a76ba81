/**
 * Refused requests of each hour, by resource and by limit (docs/specification.md#refusals). An instance counts in
 * memory and writes to Redis every few seconds. Redis has a hash for each day, with a field for each hour and name
 * (lua/verbs/tenant.lua).
 */
import type { HourOfRefusals } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { refusalsKey, tenantKey } from '../../redis/keys.ts';
import { runScript } from '../../redis/scripts.ts';
import { send } from '../../redis/send.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Number of days before the current one that Redis keeps whole. The key of a day lasts for 8 days after its last write
 * (lua/verbs/tenant.lua), so that of the day before these may have ended.
 */
const WHOLE_DAYS = 7;
/** Names that an instance counts between two writes: of a tenant, and of all. The rest counts as others. */
const MAX_NAMES = 1000;
const MAX_ALL = 50_000;
/** Names that one script call writes: about 1 ms of Redis. */
const PIECE = 500;

const OTHERS = 'o';

/** Counts that are not written yet. */
export class RefusalCounts {
  readonly #counts = new Map<string, Map<string, number>>();
  #names = 0;

  countResource(tenant: string, resource: string): void {
    this.#count(tenant, `r${resource}`);
  }

  countLimit(tenant: string, limitType: string): void {
    this.#count(tenant, `l${limitType}`);
  }

  #count(tenant: string, what: string): void {
    const counts = this.#counts.get(tenant) ?? new Map<string, number>();
    this.#counts.set(tenant, counts);
    const isFull = counts.size >= MAX_NAMES || this.#names >= MAX_ALL;
    const field = isFull && !counts.has(what) ? OTHERS : what;
    if (!counts.has(field)) this.#names++;
    counts.set(field, (counts.get(field) ?? 0) + 1);
  }

  /**
   * Writes the counts of some tenants to Redis. If that fails, they are lost.
   * @throws HoldfastError unavailable
   */
  async flush(redis: RedisClient, tenants: readonly string[]): Promise<void> {
    const counts = tenants.flatMap((tenant) => {
      const ofTenant = this.#counts.get(tenant);
      return ofTenant === undefined ? [] : [[tenant, ofTenant] as const];
    });
    for (const [tenant, { size }] of counts) {
      this.#counts.delete(tenant);
      this.#names -= size;
    }
    const now = Date.now();
    const hour = Math.floor((now % DAY_MS) / HOUR_MS);
    const writes = counts.flatMap(([tenant, ofTenant]) => {
      const pairs = [...ofTenant];
      const pieces = Array.from({ length: Math.ceil(pairs.length / PIECE) }, (_, i) =>
        pairs.slice(i * PIECE, (i + 1) * PIECE),
      );
      const keys = [tenantKey(tenant), refusalsKey(tenant, dayOf(now))];
      return pieces.map((piece) => runScript(redis, 'refusals', ...keys, hour, ...piece.flat()));
    });
    await Promise.all(writes);
  }
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** The start of the first day that Redis keeps whole, in ms since 1970 UTC. */
export const keptSince = (): number => (dayOf(Date.now()) - WHOLE_DAYS) * DAY_MS;

/** The days that have hours from one time up to another, as far as Redis keeps them. */
function daysWithin(fromMs: number, toMs: number): number[] {
  const last = dayOf(Math.min(toMs - 1, Date.now()));
  const first = Math.max(dayOf(fromMs), dayOf(Date.now()) - WHOLE_DAYS);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

/**
 * Reads the refusals of a resource, by the hour. Hours without any are left out.
 * @throws HoldfastError unavailable
 */
export async function refusalsOf(
  redis: RedisClient,
  tenant: string,
  resource: string,
  fromMs: number,
  toMs: number,
): Promise<HourOfRefusals[]> {
  const fields = Array.from({ length: 24 }, (_, hour) => `${hour}r${resource}`);
  const ofDays = await Promise.all(
    daysWithin(fromMs, toMs).map(async (day) => {
      const counts = await send(() => redis.hmget(refusalsKey(tenant, day), ...fields));
      return counts.map((count, hour) => ({ startMs: day * DAY_MS + hour * HOUR_MS, count: Number(count ?? 0) }));
    }),
  );
  return ofDays.flat().filter(({ startMs, count }) => count > 0 && startMs >= fromMs && startMs < toMs);
}

/** A count of one hour, as Redis has it. */
export interface RefusalCount {
  readonly startMs: number;
  readonly kind: 'resource' | 'limit' | 'others';
  /** '' for others */
  readonly name: string;
  readonly count: number;
}

/**
 * Reads all counts of a span, in pieces.
 * @throws HoldfastError unavailable
 */
export async function* allRefusals(
  redis: RedisClient,
  tenant: string,
  fromMs: number,
  toMs: number,
): AsyncGenerator<RefusalCount[]> {
  for (const day of daysWithin(fromMs, toMs)) {
    let cursor = '0';
    do {
      const at = cursor;
      const [next, found] = await send(() => redis.hscan(refusalsKey(tenant, day), at, 'COUNT', 1000));
      cursor = next;
      const counts = found.flatMap((field, i) => (i % 2 === 0 ? toCount(day, field, Number(found[i + 1])) : []));
      yield counts.filter(({ startMs }) => startMs >= fromMs && startMs < toMs);
    } while (cursor !== '0');
  }
}

const KINDS: ReadonlyMap<string, RefusalCount['kind']> = new Map([
  ['r', 'resource'],
  ['l', 'limit'],
  [OTHERS, 'others'],
]);

function toCount(day: number, field: string, count: number): RefusalCount[] {
  const [, hour, letter = '', name = ''] = /^(\d+)([a-z])(.*)$/s.exec(field) ?? [];
  const kind = KINDS.get(letter);
  return kind === undefined ? [] : [{ startMs: day * DAY_MS + Number(hour) * HOUR_MS, kind, name, count }];
}
