/**
 * A database with the history of tenants, a Redis of its own, since workers of other tests would move entries to their
 * database, and what tests look at in it.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { DEFAULT_TIERS, type TierLimits } from '../../src/domain/tiers.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { send } from '../../src/redis/send.ts';
import { rowsOf } from '../../src/store/db.ts';
import { historyInDatabase } from '../../src/store/history.ts';
import { type MoveOptions, moveHistory } from '../../src/store/moveHistory.ts';
import { KINDS, type OpenStore, openStore, type TestDatabase } from './tenancy.ts';
import { until } from './until.ts';

/** The default tiers, with other limits for Starter. */
export const tiersWith = (limits: Partial<TierLimits>) => ({
  ...DEFAULT_TIERS,
  Starter: { ...DEFAULT_TIERS.Starter, ...limits },
});

/** To be called at the top of a test file, or of a describe. */
export function useHistoryStore(makeKind = KINDS.Postgres) {
  let made: TestDatabase;
  let server: RedisServer;
  let store: OpenStore;
  beforeAll(async () => {
    [made, server] = await Promise.all([makeKind(), startRedis(() => {})]);
    store = await openStore(made.url, server.url);
    defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
    await until('Redis', () => send(() => store.redis.ping()).catch(() => null));
  });
  afterAll(async () => {
    await store.close();
    await Promise.all([made.drop(), server.stop()]);
  });
  const rows = async (query: ReturnType<typeof sql>) =>
    z.array(z.record(z.string(), z.unknown())).parse(rowsOf(await store.database.run((db) => db.execute(query))));
  return {
    get url() {
      return made.url;
    },
    get redisUrl() {
      return server.url;
    },
    get store() {
      return store;
    },
    rows,
    /** Moves all that a tenant has in Redis. */
    move: (tenant: string, options: Partial<MoveOptions> = {}) =>
      moveHistory(store, tenant, { tiers: DEFAULT_TIERS, maxBatches: 100, ...options }),
    /** The numbers of the entries that a tenant's pages show, the latest first. */
    numbersOf: async (tenant: string, tiers = DEFAULT_TIERS, clock = Date.now) => {
      const { entries } = await historyInDatabase(store, tiers, clock).page(tenant, {}, undefined, 100_000);
      return entries.map(({ number }) => number);
    },
    /** How many entries the database has of a tenant, shown or not. */
    countOf: async (tenant: string) => {
      const [row] = await rows(sql`
        select count(*)::int as n from history join history_owners on id = owner where tenant_id = ${tenant}`);
      return row?.n;
    },
  };
}
