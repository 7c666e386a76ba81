/**
 * The cost of reads of a long history without a database, and the number that a tenant runs at the same time
 * (docs/specification.md#history).
 */
import { describe, expect, test } from 'vitest';
import { csvRows } from '../../src/http/call/csv.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { addIn } from '../support/pastEntries.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';

const keys = Array.from({ length: 3 }, () => makeConfiguredKey(makeTenant()));
useInstance({ keys });

const HISTORY = '/api/v1/Reservation/history';
const get = (key: string, path: string) => fetch(holdfast.url + path, { headers: { 'X-Api-Key': key } });

/** A tenant that no other test has, with a history, and what its requests cost. */
async function setUp(count: number, isLong: boolean) {
  const { tenant, key } = keys.pop() ?? { tenant: '', key: '' };
  await addIn(holdfast.redis, tenant, count, { isLong });
  const left = async () => {
    const response = await get(key, `${HISTORY}?limit=1&from=2040-01-01T00:00:00Z`);
    return Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  };
  const costOf = async (path: string) => {
    const before = await left();
    const response = await get(key, path);
    expect(response.status).toBe(200);
    await response.text();
    return before - (await left()) - 1;
  };
  return { key, costOf };
}

const time = () => `from=${new Date(Date.now() - 86_400_000).toISOString()}`;

describe('a read pays for 1,000 entries that are looked at', () => {
  test('by pages, with a filter and without, by usage and by CSV', async () => {
    const { costOf } = await setUp(2500, false);
    expect(await costOf(`${HISTORY}?limit=500`)).toBe(1);
    expect(await costOf(`${HISTORY}?limit=500&requester=nobody`)).toBe(3);
    expect(await costOf(`${HISTORY}?limit=500&resource=printer-2499`)).toBe(3);
    expect(await costOf(`${HISTORY}?format=csv`)).toBe(3);
    expect(await costOf(`${HISTORY}?format=csv&requester=nobody`)).toBe(3);
    expect(await costOf(`/api/v1/Resource/usage?resource=x&${time()}`)).toBe(3);
  });

  test('or for fewer that are long', async () => {
    const { costOf } = await setUp(800, true);
    expect(await costOf(`${HISTORY}?limit=1`)).toBe(1);
    const costs = [
      await costOf(`${HISTORY}?limit=500`),
      await costOf(`${HISTORY}?requester=nobody`),
      await costOf(`${HISTORY}?format=csv`),
      await costOf(`/api/v1/Resource/usage?resource=x&${time()}`),
    ];
    // 800 of some 3.1 KiB are 800 times 6.2 entries, and a read ends behind an entry.
    expect(costs).toEqual([4, 5, 5, 5]);
  });
});

describe('pages that take several reads count as long lists', () => {
  test('of which an instance reads four at the same time', async () => {
    const { key } = await setUp(5000, true);
    const responses = await Promise.all(Array.from({ length: 8 }, () => get(key, `${HISTORY}?requester=nobody`)));
    const bodies = await Promise.all(
      responses.map(async (response) => ({ status: response.status, body: await response.json() })),
    );
    expect(bodies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
    const refused = bodies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body).toMatchObject({ limitType: 'ConcurrentListings' });
    // A page that one read pays for is none.
    expect((await get(key, `${HISTORY}?requester=nobody`)).status).toBe(200);
    const short = await Promise.all(Array.from({ length: 8 }, () => get(key, `${HISTORY}?limit=50`)));
    expect(short.map(({ status }) => status)).toEqual(short.map(() => 200));
  });
});

/** CSV that spreadsheets open (docs/specification.md#audit-trail). */

const written = (text: string) =>
  csvRows([], (cell: string) => [cell])
    .write([text])
    .split('\r\n')
    .slice(1)
    .join('\r\n');

describe('no cell is a formula', () => {
  test.each([
    ...[
      '=1',
      '+1',
      '-1',
      '@a',
      '\tx',
      '＝1+1',
      '＋1',
      '－1',
      '＠a',
      ' =1',
      '\u00a0=1',
      '\u3000＝1',
      '\u200b=1',
      '\ufeff@a',
    ],
    ...['\u2060\u200d +1', '\u0007=1'],
  ])('%j', (text) => {
    expect(written(text)).toBe(`'${text}\r\n`);
  });

  test.each(['a=1', ' a', 'ä', '１', 'a-b', '\u200ba'])('but %j stays as it is', (text) => {
    expect(written(text)).toBe(`${text}\r\n`);
  });
});
