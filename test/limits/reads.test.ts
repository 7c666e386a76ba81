/**
 * The quota of reads (docs/specification.md#limits).
 */
import { describe, expect, test } from 'vitest';
import { ConcurrentLists } from '../../src/limits/reads.ts';
import { openExport } from '../../src/operations/lists.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

const TIERS = JSON.stringify({ Free: { readsPerMinute: 20 } });
const start = (tenant = makeTenant()) => {
  const keys = [{ ...makeConfiguredKey(tenant), tier: 'Free' as const }];
  return Promise.all([1, 2, 3].map(() => startInstance({ keys, env: { TIERS } })));
};

describe('the quota of reads', () => {
  test('lets exactly so many through, from all instances together; writes are none of them', async () => {
    const instances = await start();
    const reads = Array.from({ length: 50 }, (_, i) => instances[i % 3]?.available('r'));
    const statuses = (await Promise.all(reads)).map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    expect((await instances[0]?.reserve({ resource: 'r', requester: 'r' }))?.status).toBe(200);
    await Promise.all(instances.map((instance) => instance.stop()));
  });

  test('is charged by GET and HEAD, one each, and by each item of a check, and told in the headers', async () => {
    const [one, ...others] = await start();
    if (one === undefined) throw new Error('no instance');
    const left = async (method: string, path: string, body?: unknown) => {
      const { headers } = await one.request(method, path, body);
      expect(headers.get('ratelimit-policy')).toBe('"ReadsPerMinute";q=20;w=60');
      const [, remaining, seconds] = /^"ReadsPerMinute";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThan(50);
      return Number(remaining);
    };
    expect(await left('GET', '/api/v1/Resource/definitions')).toBe(19);
    expect(await left('HEAD', '/api/v1/Resource/tree')).toBe(18);
    expect(await left('POST', '/api/v1/Reservation/check', [{ resource: 'a' }, { resource: 'b' }])).toBe(16);
    expect(await left('GET', '/api/v1/Reservation/activeReservations')).toBe(15);
    await one.request('POST', '/api/v1/Reservation/check', []);
    expect(await left('GET', '/api/v1/Resource/available/a')).toBe(14);
    await Promise.all([one, ...others].map((instance) => instance.stop()));
  });

  test('a check of more items than are left is refused whole, and costs nothing', async () => {
    const [one, ...others] = await start();
    const check = (count: number) =>
      one?.request(
        'POST',
        '/api/v1/Reservation/check',
        Array.from({ length: count }, (_, i) => ({ resource: `r${i}` })),
      );
    expect((await check(15))?.status).toBe(200);
    expect((await check(10))?.status).toBe(429);
    expect(await check(30)).toMatchObject({ body: { error: expect.stringContaining('can never fit') } });
    expect((await check(5))?.status).toBe(200);
    expect((await check(1))?.status).toBe(429);
    await Promise.all([one, ...others].map((instance) => instance?.stop()));
  });

  test('refused: 429 with its limitType, an event, and another window when this one is over', async () => {
    const [one, ...others] = await start();
    if (one === undefined) throw new Error('no instance');
    const subscriber = await watch(one);
    await Promise.all(Array.from({ length: 19 }, () => one.available('r')));
    const { status, headers, body } = await one.request<{ retryAfter: number }>('GET', '/api/v1/Resource/available/r');
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe(String(body.retryAfter));
    expect(body).toMatchObject({ tier: 'Free', limit: 20, upgradeRequired: true, limitType: 'ReadsPerMinute' });
    expect(body.retryAfter).toBeGreaterThan(50);
    await one.available('r');
    await one.reserve({ resource: 'end', requester: 'r' });
    expect(
      (await subscriber.count(2)).map(({ type, requestType, limitType }) => [type, requestType, limitType]),
    ).toEqual([
      ['TIER_LIMIT_REACHED', 'READ', 'ReadsPerMinute'],
      ['RESERVED', 'RESERVE', null],
    ]);
    // As if the minute were over.
    expect(await one.redis.pexpire(`reads:Free:{${one.tenant}}`, 0)).toBe(1);
    expect((await one.available('r')).status).toBe(200);
    subscriber.close();
    await Promise.all([one, ...others].map((instance) => instance.stop()));
  });

  test('a bad key is charged to nobody', async () => {
    const [one, ...others] = await start();
    if (one === undefined) throw new Error('no instance');
    const { key } = makeConfiguredKey(one.tenant);
    expect((await one.request('GET', '/api/v1/Resource/tree', undefined, { 'X-Api-Key': key })).status).toBe(401);
    expect((await one.available('r')).headers.get('ratelimit')).toMatch(/r=19;/);
    await Promise.all([one, ...others].map((instance) => instance.stop()));
  });
});

/** An export of so many pages with a row each. */
const exportOf = (listings: ConcurrentLists, pages: number) =>
  openExport<number, number>({ listings }, 'tenant', [], {
    readPage: async (page = 1) => ({ rows: [page], next: page < pages ? page + 1 : null }),
    debit: async () => {},
  });

test('an export of one page gives its place back once, although its reader closes it too', async () => {
  const listings = new ConcurrentLists();
  const long = await Promise.all([1, 2, 3, 4].map(() => exportOf(listings, 2)));
  await expect(exportOf(listings, 1)).rejects.toMatchObject({ hit: { limitType: 'ConcurrentListings' } });
  long.pop()?.close();

  const short = await exportOf(listings, 1);
  short.close();
  const fourth = await exportOf(listings, 2);
  await expect(exportOf(listings, 2)).rejects.toMatchObject({ hit: { limitType: 'ConcurrentListings' } });
  for (const { close } of [...long, fourth]) close();
});
