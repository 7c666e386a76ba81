/**
 * Entries of the history get to the database by themselves, and are kept there for a time
 * (docs/specification.md#history).
 */
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TIERS, type Tier } from '../../src/domain/tiers.ts';
import { addWaiting, longestWaitingMs } from '../../src/engine/history/stream.ts';
import { moveHistories } from '../../src/operations/copies.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { deleteOfDeleted } from '../../src/store/historyOwners.ts';
import { dropOldPartitions, makePartitions } from '../../src/store/historyPartitions.ts';
import { deleteTenant, setTier } from '../../src/store/tenants.ts';
import { createClient } from '../support/client.ts';
import { tiersWith, useHistoryStore } from '../support/pastEntries.ts';
import { startInstance } from '../support/service.ts';
import { databaseEnv, KINDS, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { addEnded, endedUntil } from '../support/watch.ts';

const BY = { actor: 'admin:root@id.example', address: null };
const DAY_MS = 86_400_000;

const opened = useHistoryStore();
const { move, numbersOf, countOf } = opened;
const setUp = async (tier: Tier, count: number, at = Date.now()) => {
  const { tenant, key } = await storeTenant(opened.store, tier);
  await addEnded(opened.store.redis, tenant, endedUntil(at, count));
  return { tenant, key };
};
const partitions = async () =>
  (
    await opened.rows(
      sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'history'::regclass`,
    )
  )
    .map(({ name }) => name)
    .toSorted();

describe('entries', () => {
  test('are shown for the days of the tier, and dropped with all of their week', async () => {
    const now = Date.now();
    const tiers = tiersWith({ historyDays: null });
    const tenants = await Promise.all(
      (['Free', 'Starter', 'Pro'] as const).map(async (tier) => (await setUp(tier, 3, now)).tenant),
    );
    for (const tenant of tenants) await move(tenant, { tiers });
    const shown = (days: number) =>
      Promise.all(tenants.map(async (tenant) => (await numbersOf(tenant, tiers, () => now + days * DAY_MS)).length));
    expect(await shown(6)).toEqual([3, 3, 3]);
    expect(await shown(8)).toEqual([0, 3, 3]);
    expect(await shown(91)).toEqual([0, 3, 0]);
    expect(await partitions()).toHaveLength(3);
    expect(await dropOldPartitions(opened.store.database, new Date(now + 15 * DAY_MS))).toHaveLength(1);
    expect(await Promise.all(tenants.map(countOf))).toEqual([0, 3, 3]);
    expect(await dropOldPartitions(opened.store.database, new Date(now + 1000 * DAY_MS))).toHaveLength(1);
    expect([await shown(1000), await partitions()]).toEqual([[0, 3, 0], ['history_forever']]);
  });

  test('that are too old already are not written', async () => {
    const { tenant } = await setUp('Free', 3, Date.now() - 8 * DAY_MS);
    expect(await move(tenant)).toEqual({ entries: 0, hasMore: false });
    expect([await countOf(tenant), await opened.store.redis.xlen(historyKey(tenant))]).toEqual([0, 0]);
  });

  test('are written once also if the tier changes in between', async () => {
    const { redis } = opened.store;
    const { tenant } = await setUp('Free', 10);
    const before = await redis.dumpBuffer(historyKey(tenant));
    await move(tenant);
    await setTier({ ...opened.store }, tenant, 'Pro', BY);
    await redis.restore(historyKey(tenant), 0, before ?? '', 'REPLACE');
    await addEnded(redis, tenant, [{ at: Date.now() + 1000, number: 11 }]);
    expect((await move(tenant)).entries).toBe(1);
    expect(await countOf(tenant)).toBe(11);
    expect(await numbersOf(tenant, DEFAULT_TIERS, () => Date.now() + 8 * DAY_MS)).toEqual([11]);
  });

  test('are the newest that the tier keeps, and the rest is deleted in pieces', async () => {
    const { tenant } = await setUp('Starter', 600);
    const tiers = tiersWith({ historyEntries: 100 });
    await move(tenant, { tiers });
    expect(await numbersOf(tenant, tiers)).toEqual(Array.from({ length: 100 }, (_, i) => 600 - i));
    await addEnded(opened.store.redis, tenant, endedUntil(Date.now() + 60_000, 1000));
    expect(await numbersOf(tenant, tiers)).toEqual(Array.from({ length: 100 }, (_, i) => 1000 - i));
    expect(await countOf(tenant)).toBeLessThan(1100);
  });

  test('of a deleted tenant are deleted', async () => {
    const { tenant } = await setUp('Pro', 1500);
    await move(tenant);
    const [owner] = await opened.rows(sql`select id from history_owners where tenant_id = ${tenant}`);
    await deleteTenant(opened.store, tenant, BY);
    expect(await deleteOfDeleted(opened.store.database)).toBeGreaterThan(0);
    expect(await opened.rows(sql`select owner from history where owner = ${owner?.id}`)).toEqual([]);
    expect(await opened.rows(sql`select id from history_owners where id = ${owner?.id}`)).toEqual([]);
  });
});

describe('partitions', () => {
  test('are made once, if several workers need the same one', async () => {
    const at = Date.now() + 3000 * DAY_MS;
    const before = await partitions();
    await Promise.all(Array.from({ length: 5 }, () => makePartitions(opened.store.database, [at, at + 7 * DAY_MS])));
    expect((await partitions()).filter((name) => !before.includes(name))).toHaveLength(2);
  });
});

describe('the job', () => {
  test('moves the entries of all tenants that wait, however many one has', async () => {
    const tenants = await Promise.all([setUp('Pro', 1700), setUp('Pro', 1), setUp('Pro', 2)]);
    await addWaiting(
      opened.store.redis,
      tenants.map(({ tenant }) => ({ tenant, sinceMs: Date.now() - 5000 })),
    );
    expect(await longestWaitingMs(opened.store.redis)).toBeGreaterThanOrEqual(5000);
    await moveHistories(opened.store, DEFAULT_TIERS, Date.now(), 60_000);
    expect(await Promise.all(tenants.map(({ tenant }) => countOf(tenant)))).toEqual([1700, 1, 2]);
    expect(await longestWaitingMs(opened.store.redis)).toBe(0);
  });

  test('leaves what does not fit into its run for the next one', async () => {
    const { tenant } = await setUp('Pro', 3);
    const waiting = { tenant, sinceMs: Date.now() - 5000 };
    await addWaiting(opened.store.redis, [waiting]);
    await moveHistories(opened.store, DEFAULT_TIERS, Date.now(), -1);
    expect(await countOf(tenant)).toBe(0);
    expect(await longestWaitingMs(opened.store.redis)).toBeGreaterThanOrEqual(5000);
    await moveHistories(opened.store, DEFAULT_TIERS, Date.now(), 60_000);
    expect(await countOf(tenant)).toBe(3);
  });

  test('runs in instances with the role for it', async () => {
    const { tenant, key } = await setUp('Pro', 0);
    const env = { ...databaseEnv(opened.url), ROLE: 'all', METRICS_PORT: '0' };
    const holdfast = await startInstance({ keys: [], redisUrl: opened.redisUrl, env });
    const { reserve } = createClient(holdfast.url, key);
    expect((await reserve({ resource: 'printer', requester: 'me', ttlSeconds: 1 })).body[0]?.status).toBe('ACQUIRED');
    await until('the entry is in the database', async () => (await countOf(tenant)) === 1);
    await until('it is counted', async () => /^holdfast_history_moved_total [1-9]/m.test(await holdfast.scrape()));
    await holdfast.stop();
  });
});

const HOUR_MS = 3_600_000;
const newestFirst = (count: number) => Array.from({ length: count }, (_, i) => count - i);

describe.each(Object.entries(KINDS))('entries are moved to %s', (_, makeKind) => {
  const opened = useHistoryStore(makeKind);
  const { move, numbersOf, countOf } = opened;
  const setUp = async (count: number, at = Date.now()) => {
    const { redis } = opened.store;
    const { tenant } = await storeTenant(opened.store, 'Pro');
    await addEnded(redis, tenant, endedUntil(at, count));
    return { redis, tenant, key: historyKey(tenant) };
  };

  test('batch by batch, and Redis keeps none', async () => {
    const { redis, tenant, key } = await setUp(2500);
    expect(await move(tenant, { maxBatches: 1 })).toEqual({ entries: 500, hasMore: true });
    expect(await move(tenant)).toEqual({ entries: 2000, hasMore: false });
    expect(await redis.xlen(key)).toBe(0);
    expect(await numbersOf(tenant)).toEqual(newestFirst(2500));
    expect(await move(tenant)).toEqual({ entries: 0, hasMore: false });
  });

  test('once, if a worker dies before it deletes them from Redis, or Redis fails over to a replica that has them', async () => {
    const { redis, tenant, key } = await setUp(1200);
    const before = await redis.dumpBuffer(key);
    await move(tenant);
    await redis.restore(key, 0, before ?? '', 'REPLACE');
    await addEnded(redis, tenant, [{ at: Date.now() + HOUR_MS, number: 1201 }]);
    expect(await move(tenant)).toEqual({ entries: 1, hasMore: false });
    expect([await countOf(tenant), await redis.xlen(key)]).toEqual([1201, 0]);
    expect(await numbersOf(tenant)).toEqual(newestFirst(1201));
  });

  test('also those that a Redis makes whose clock is behind', async () => {
    const at = Date.now();
    const { redis, tenant, key } = await setUp(10, at);
    await move(tenant);
    await redis.del(key);
    await addEnded(redis, tenant, [
      { at: at - HOUR_MS, number: 100 },
      { at, number: 101 },
    ]);
    expect((await move(tenant)).entries).toBe(2);
    expect(await numbersOf(tenant)).toEqual([101, ...newestFirst(10), 100]);
  });

  test('once, if several workers move them at the same time', async () => {
    const { tenant } = await setUp(3000);
    const moved = await Promise.all(Array.from({ length: 4 }, () => move(tenant)));
    expect(moved.reduce((sum, { entries }) => sum + entries, 0)).toBe(3000);
    expect(await numbersOf(tenant)).toEqual(newestFirst(3000));
  });

  test('but for those that this version cannot read, which stay in Redis and are passed by', async () => {
    const { redis, tenant, key } = await setUp(0);
    const at = Date.now();
    await redis.xadd(key, `${at - 10}-0`, '?', 'of a later version');
    await redis.xadd(key, `${at - 10}-1`, 'W', '{}');
    await addEnded(redis, tenant, endedUntil(at, 5));
    expect((await move(tenant)).entries).toBe(5);
    expect(await redis.xlen(key)).toBe(2);
    expect(await numbersOf(tenant)).toEqual(newestFirst(5));
  });

  test('not if the tenant has been deleted, and a new one with its id sees nothing of it', async () => {
    const { redis, tenant } = await setUp(20);
    await move(tenant);
    await addEnded(redis, tenant, [{ at: Date.now() + HOUR_MS, number: 21 }]);
    await deleteTenant(opened.store, tenant, BY);
    expect(await move(tenant)).toEqual({ entries: 0, hasMore: false });
    await redis.del(historyKey(tenant));
    await storeTenant(opened.store, 'Pro', tenant);
    expect(await numbersOf(tenant)).toEqual([]);
    await addEnded(redis, tenant, endedUntil(Date.now(), 3));
    expect(await numbersOf(tenant)).toEqual([3, 2, 1]);
  });
});
