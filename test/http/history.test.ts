/**
 * GET /api/v1/Reservation/history (docs/specification.md#history), with a database and without.
 */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryPage } from '../../src/contract/history.ts';
import { KEPT_ENTRIES } from '../../src/domain/history.ts';
import { lastHour } from '../../src/engine/tenant/activity.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { hold, holdfast, useActing } from '../support/acting.ts';
import { createClient } from '../support/client.ts';
import { addPast } from '../support/pastEntries.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, signIn, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { addEnded, endedUntil } from '../support/watch.ts';

const AT = '/api/v1/Reservation/history';
const newestFirst = (count: number) => Array.from({ length: count }, (_, i) => count - i);

/** Starts an instance with one tenant for each test. */
const MODES = {
  'without a database': async (count: number) => {
    const keys = Array.from({ length: count }, () => makeConfiguredKey(makeTenant()));
    const holdfast = await startInstance({ keys });
    return { holdfast, keys, stop: () => holdfast.stop() };
  },
  'with a database': async (count: number) => {
    const store = await makeStore();
    const keys = await Promise.all(Array.from({ length: count }, () => storeTenant(store)));
    const holdfast = await startInstance({ keys, env: databaseEnv(store.url) });
    const stop = async () => {
      await holdfast.stop();
      await store.close();
    };
    return { holdfast, keys, stop };
  },
};

describe.each(Object.entries(MODES))('%s', (_, start) => {
  let holdfast: Instance;
  let started: Awaited<ReturnType<typeof start>>;
  let used = 0;
  beforeAll(async () => {
    started = await start(5);
    holdfast = started.holdfast;
  });
  afterAll(() => started.stop());
  /** A tenant that no other test has, and a client of it. */
  const setUp = () => {
    const { tenant, key } = started.keys[used++] ?? { tenant: '', key: '' };
    const client = createClient(holdfast.url, key);
    const page = async (query = '') => (await client.request<HistoryPage>('GET', AT + query)).body;
    const csv = (query: string, headers: Record<string, string> = {}) =>
      fetch(holdfast.url + AT + query, { headers: { 'X-Api-Key': key, ...headers } });
    return { tenant, key, client, page, csv };
  };

  test('an entry says who had what, since when, until when and how it ended', async () => {
    const { client, page } = setUp();
    await client.register({ name: 'phones', capacity: 2 });
    const one = { resource: 'phones', requester: 'ann', note: 'nightly', resourceType: 'Device' };
    const { body } = await client.reserve(one);
    const { resource, requester, note, resourceType } = one;
    await client.unreserve({ resource, requester, releaseToken: body[0]?.releaseToken ?? null });
    const before = Date.now();
    const [entry] = (await page()).entries;
    expect(entry).toEqual({
      ...{ id: `R${body[0]?.fencingToken}`, kind: 'RESERVATION', resource, requestedName: null, slots: ['phones_0'] },
      ...{ requester, resourceType, mode: 'EXCLUSIVE', apiKeyLabel: null, note, fencingToken: body[0]?.fencingToken },
      ...{ waitedMs: null, reservedAt: expect.any(String), endedAt: expect.any(String), ending: 'RELEASED' },
      actor: null,
      booking: null,
    });
    expect(Date.parse(entry?.endedAt ?? '')).toBeLessThanOrEqual(before);
  });

  test('the pages have each entry once, the latest first, while new ones come', async () => {
    const { tenant, page } = setUp();
    const at = Date.now() - 10_000;
    await addEnded(holdfast.redis, tenant, endedUntil(at, 25));
    const found: (number | null)[] = [];
    let cursor: string | null = '';
    for (let i = 0; cursor !== null; i++) {
      const { entries, next }: HistoryPage = await page(`?limit=10${cursor && `&cursor=${cursor}`}`);
      found.push(...entries.map(({ fencingToken }) => fencingToken));
      cursor = next;
      await addEnded(holdfast.redis, tenant, [{ at: at + 1 + i, number: 100 + i }]);
    }
    expect(found).toEqual(newestFirst(25));
    expect((await page('?limit=2')).entries.map(({ id }) => id)).toEqual(['R102', 'R101']);
  });

  test('filters select by resource, requester and the time of the end', async () => {
    const { tenant, page } = setUp();
    // Within the time for which entries are kept.
    const at = Date.now() - 20 * 86_400_000;
    const days = Array.from({ length: 8 }, (_, i) => ({
      at: at + i * 3_600_000,
      number: i + 1,
      resource: i % 2 === 0 ? 'even' : 'odd',
      requester: i < 4 ? 'early' : 'late',
    }));
    await addEnded(holdfast.redis, tenant, days);
    const numbers = async (query: string) => (await page(query)).entries.map(({ fencingToken }) => fencingToken);
    const time = (hour: number) => new Date(at + hour * 3_600_000).toISOString();
    expect(await numbers('?resource=even')).toEqual([7, 5, 3, 1]);
    expect(await numbers('?requester=early')).toEqual([4, 3, 2, 1]);
    expect(await numbers('?resource=odd&requester=late')).toEqual([8, 6]);
    expect(await numbers(`?from=${time(2)}&to=${time(4)}`)).toEqual([4, 3]);
    expect(await numbers(`?resource=odd&from=${time(2)}&to=${time(7)}&requester=early`)).toEqual([4]);
    const first = await page(`?from=${time(1)}&to=${time(6)}&limit=3`);
    const second = await page(`?from=${time(1)}&to=${time(6)}&limit=3&cursor=${first.next}`);
    expect([...first.entries, ...second.entries].map(({ fencingToken }) => fencingToken)).toEqual([6, 5, 4, 3, 2]);
    expect(second.next).toBeNull();
    expect(await numbers('?resource=nothing')).toEqual([]);
  });

  test('as CSV it has all entries, and costs one read for each 1,000', async () => {
    const { tenant, csv } = setUp();
    await addEnded(holdfast.redis, tenant, endedUntil(Date.now(), 2100, { requester: '=cmd' }));
    const response = await csv('', { Accept: 'text/csv' });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    const [head, ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(head).toMatch(/^id,kind,resource,.*,ending,actor,booking$/);
    expect(lines.map((line) => line.split(',')[0])).toEqual(newestFirst(2100).map((number) => `R${number}`));
    expect(lines[0]).toContain(",'=cmd,");
    const left = async () => Number(/;r=(\d+)/.exec((await csv('?limit=1')).headers.get('ratelimit') ?? '')?.[1]);
    const before = await left();
    await (await csv('?format=csv')).text();
    expect(before - (await left())).toBe(1 + 3);
  });

  test('takes the right to read, and well-formed parameters', async () => {
    const { client, csv } = setUp();
    const statuses = ['?limit=0', '?limit=501', '?cursor=1', '?cursor=1-x', '?from=today', '?format=xml', '?resource='];
    for (const query of statuses)
      expect([query, (await client.request('GET', AT + query)).status]).toEqual([query, 400]);
    expect((await fetch(holdfast.url + AT)).status).toBe(401);
    expect((await csv('', { 'X-Api-Key': 'hf_nobody_x' })).status).toBe(401);
  });
});

/** docs/specification.md#history: each reservation that a reset ends has an entry. */
describe('the history of resets', () => {
  useActing();

  const endings = async (resource: string) => {
    const { body } = await holdfast.request<HistoryPage>('GET', `/api/v1/Reservation/history?resource=${resource}`);
    return body.entries.map(({ ending }) => ending);
  };

  describe('without a database, a reset is in the history', () => {
    test('also if another follows before anybody has read it', async () => {
      const names = [randomUUID(), randomUUID(), randomUUID()];
      for (const name of names) {
        await hold(name);
        await holdfast.reset();
      }
      for (const name of names) expect(await endings(name)).toEqual(['RESET']);
    });

    test('also if that is full: the oldest entries make room', async () => {
      const at = Date.now();
      const old = Array.from({ length: KEPT_ENTRIES + 50 }, () => ({
        resource: 'old',
        reservedAt: at - 2,
        endedAt: at - 1,
      }));
      await addPast(holdfast.redis, holdfast.tenant, old);
      const name = randomUUID();
      await hold(name);
      await holdfast.reset();
      expect(await endings(name)).toEqual(['RESET']);
      expect(await holdfast.redis.xlen(historyKey(holdfast.tenant))).toBeLessThan(KEPT_ENTRIES + 150);
    });
  });
});

/**
 * The activity of a tenant as people see it: operations in the hour chart, and the request id of a form.
 */
describe('the activity of a tenant', () => {
  test('every operation counts in the hour chart, whatever its verb', async () => {
    const holdfast = await startInstance();
    const operations = async () =>
      (await lastHour(holdfast, holdfast.tenant)).reduce((sum, minute) => sum + minute.operations, 0);
    const items = ['a', 'b', 'c'].map((resource) => ({ resource, requester: 'q' }));
    await holdfast.register({ name: 'a' }, { name: 'gone' }); // 2
    const { body } = await holdfast.reserve(...items); // 3
    await holdfast.renew(...body.map((one) => ({ ...one, ttlSeconds: 60 }))); // 3
    await holdfast.delete('gone'); // 1
    await holdfast.reset(); // 1
    await until('all are counted', async () => (await operations()) === 10);
    await holdfast.stop();
  });

  test('a form of the dashboard has one request id, and is logged once', async () => {
    const holdfast = await startInstance();
    const session = await signIn(holdfast.redis, holdfast.tenant);
    await holdfast.reserve({ resource: 'r', requester: 'q' });
    const answer = await fetch(`${holdfast.url}/dashboard/release`, {
      method: 'POST',
      headers: { Cookie: session.cookie, Origin: holdfast.url },
      body: new URLSearchParams({ resource: 'r', requester: 'q' }),
      redirect: 'manual',
    });
    expect(answer.status).toBe(303);
    const id = answer.headers.get('x-request-id');
    const lines = holdfast.logged.map((text) => JSON.parse(text)).filter(({ requestId }) => requestId === id);
    expect(lines.map(({ path }) => path)).toEqual(['/dashboard/release']);
    await holdfast.stop();
  });
});
