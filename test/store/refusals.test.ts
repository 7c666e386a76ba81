/**
 * The counts of refusals in the database (docs/specification.md#refusals): copied from Redis, read behind what Redis
 * has, and kept as long as the history.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { RefusalCounts } from '../../src/engine/tenant/refusals.ts';
import { copyRefusals } from '../../src/operations/copies.ts';
import { ACTIVE_KEY } from '../../src/redis/keys.ts';
import { rowsOf } from '../../src/store/db.ts';
import { historyInDatabase } from '../../src/store/history.ts';
import type { Store } from '../../src/store/records.ts';
import { deleteOldRefusals, putRefusals } from '../../src/store/refusals.ts';
import { deleteTenant } from '../../src/store/tenants.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot } from '../support/hotRecord.ts';
import { makeStore, type OpenStore, storeTenant } from '../support/tenancy.ts';

const HOUR_MS = 3_600_000;
const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const daysAgo = (days: number) => thisHour - days * 24 * HOUR_MS;

let opened: OpenStore;
let running: RunningEngine;
let store: Store;
beforeAll(async () => {
  // The hour does not end during the tests. Few other tenants are active so late in it.
  vi.useFakeTimers({ toFake: ['Date'], now: thisHour + HOUR_MS - 1000 });
  [opened, running] = await Promise.all([makeStore(), startEngine()]);
  store = { database: opened.database, redis: running.engine.redis };
});
afterAll(async () => {
  vi.useRealTimers();
  running.stop();
  await opened.close();
});

const stored = async (tenant: string) =>
  rowsOf(await store.database.run((db) => db.execute(sql`select counts from refusals where tenant_id = ${tenant}`)));

/** A tenant that Redis has too, and that has been active. */
async function activeTenant(): Promise<string> {
  const { tenant } = await storeTenant(store, 'Free');
  await changeHot(store.redis, tenant, { tier: 1 });
  await store.redis.zadd(ACTIVE_KEY, Date.now(), tenant);
  return tenant;
}

describe('refusals with a database', () => {
  test('are copied from Redis, and a copy that is repeated changes nothing', async () => {
    const tenant = await activeTenant();
    const counts = new RefusalCounts();
    counts.countResource(tenant, 'printer');
    counts.countResource(tenant, 'printer');
    counts.countLimit(tenant, 'OperationsPerMinute');
    await counts.flush(store.redis, [tenant]);
    for (let i = 0; i < 2; i++) await copyRefusals(store, Date.now() - 10_000);
    expect(await stored(tenant)).toEqual([{ counts: { rprinter: 2, lOperationsPerMinute: 1 } }]);
  });

  test('are read from the database where Redis has forgotten them', async () => {
    const tenant = await activeTenant();
    const counts = new RefusalCounts();
    counts.countResource(tenant, 'printer');
    await counts.flush(store.redis, [tenant]);
    await copyRefusals(store, Date.now() - 10_000);
    await putRefusals(store.database, tenant, [
      { startMs: daysAgo(20), counts: { rprinter: 7, rother: 1 } },
      { startMs: daysAgo(40), counts: { rprinter: 9 } },
    ]);
    const found = await historyInDatabase(store, DEFAULT_TIERS).refusals(
      tenant,
      'printer',
      daysAgo(30),
      thisHour + HOUR_MS,
    );
    expect(found).toEqual([
      { startMs: daysAgo(20), count: 7 },
      { startMs: thisHour, count: 1 },
    ]);
  });

  test('are read from the database where Redis may have forgotten a part of a day', async () => {
    const tenant = await activeTenant();
    const dayMs = 24 * HOUR_MS;
    const startMs = Math.floor(Date.now() / dayMs) * dayMs - 8 * dayMs;
    await putRefusals(store.database, tenant, [{ startMs, counts: { rprinter: 5 } }]);
    const found = await historyInDatabase(store, DEFAULT_TIERS).refusals(tenant, 'printer', startMs, Date.now());
    expect(found).toEqual([{ startMs, count: 5 }]);
  });

  test('are deleted when the tier no longer keeps the history, and with their tenant', async () => {
    const tenant = await activeTenant();
    await putRefusals(store.database, tenant, [
      { startMs: daysAgo(8), counts: { rold: 1 } },
      { startMs: daysAgo(6), counts: { rnew: 1 } },
    ]);
    await deleteOldRefusals(store.database, DEFAULT_TIERS);
    expect(await stored(tenant)).toEqual([{ counts: { rnew: 1 } }]);
    await deleteTenant(store, tenant, { actor: 'person:ann', address: null });
    expect(await stored(tenant)).toEqual([]);
    await putRefusals(store.database, tenant, [{ startMs: thisHour, counts: { rnew: 1 } }]);
    expect(await stored(tenant)).toEqual([]);
  });
});
