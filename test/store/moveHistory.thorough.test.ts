/**
 * Entries of the history are moved from Redis to the database (docs/specification.md#history): each once.
 */
import { describe, expect, test } from 'vitest';
import { historyKey } from '../../src/redis/keys.ts';
import { deleteTenant } from '../../src/store/tenants.ts';
import { useHistoryStore } from '../support/pastEntries.ts';
import { KINDS, storeTenant } from '../support/tenancy.ts';
import { addEnded, endedUntil } from '../support/watch.ts';

const BY = { actor: 'admin:root@id.example', address: null };
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
