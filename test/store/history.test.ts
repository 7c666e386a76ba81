/**
 * The history of a tenant with a database (docs/specification.md#history): each entry is moved there once, and pages
 * are read from it.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { historyInDatabase } from '../../src/store/history.ts';
import { moveHistory } from '../../src/store/moveHistory.ts';
import { addPast, pastUntil, released } from '../support/pastEntries.ts';
import { KINDS, type OpenStore, openStore, storeTenant, type TestDatabase } from '../support/tenancy.ts';

describe.each(Object.entries(KINDS))('in %s', (_, makeKind) => {
  let made: TestDatabase;
  let store: OpenStore;
  beforeAll(async () => {
    made = await makeKind();
    store = await openStore(made.url);
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await made.drop();
  });

  test('entries are moved', async () => {
    const { tenant } = await storeTenant(store, 'Starter');
    const now = Date.now();
    await addPast(store.redis, tenant, pastUntil(now, 2500));
    const moved = await moveHistory(store, tenant, { tiers: DEFAULT_TIERS, maxBatches: 10 });
    expect(moved).toEqual({ entries: 2500, hasMore: false });
    const h = historyInDatabase(store, DEFAULT_TIERS);
    for (const filter of [{}, { resource: 'printer' }, { requester: 'me' }, { resource: 'printer', requester: 'me' }]) {
      const page = await h.page(tenant, filter, undefined, 2);
      expect(page.entries.map(({ number }) => number)).toEqual([2500, 2499]);
      const page2 = await h.page(tenant, filter, page.next ?? '', 2);
      expect(page2.entries.map(({ number }) => number)).toEqual([2498, 2497]);
    }
    console.log(JSON.stringify(await h.page(tenant, { from: new Date(now - 1) }, undefined, 3)));
  });
});
