/**
 * Lists cost reads by what they look at, and are bounded in number.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const LISTS = ['Reservation/activeReservations', 'Resource/definitions', 'Resource/tree'];

let one: Instance;
beforeAll(async () => {
  one = await startInstance({ keys: [{ ...makeConfiguredKey(makeTenant()), tier: 'Pro' as const }] });
  for (let from = 0; from < 2500; from += 250) {
    const names = Array.from({ length: 250 }, (_, i) => `n${from + i}`);
    await one.register(...names.map((name) => ({ name, treePath: 'root>branch' })));
    await one.reserve(...names.map((name) => ({ resource: `held-${name}`, requester: name })));
  }
});
afterAll(() => one.stop());

const left = async (method: string, path: string) => {
  const { headers } = await one.request(method, `/api/v1/${path}`);
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
};

describe('a list costs one read for each 1,000 that it looks at', () => {
  test.each(LISTS)('%s', async (path) => {
    const before = await left('GET', 'Resource/available/x');
    const { body } = await one.request<unknown[]>('GET', `/api/v1/${path}`);
    expect(JSON.stringify(body).match(/"n\d+"|"held-n\d+"/g)?.length).toBe(path.endsWith('Reservations') ? 5000 : 2500);
    expect(await left('GET', 'Resource/available/x')).toBe(before - 4);
    expect(await left('HEAD', path)).toBe(before - 5);
  });

  test('filters are applied where the reservations are: the cost is the same, the answer short', async () => {
    const { body } = await one.active('?requester=n7');
    expect(body.map(({ resource }) => resource)).toEqual(['held-n7']);
    expect((await one.active('?resource=held-n9')).body.map(({ requester }) => requester)).toEqual(['n9']);
    expect((await one.active('?resource=held-n9&requester=n7')).body).toEqual([]);
  });

  test('refused whole if the quota has fewer left', async () => {
    const poor = await startInstance({
      keys: [{ ...makeConfiguredKey(makeTenant()), tier: 'Pro' as const }],
      env: { TIERS: JSON.stringify({ Pro: { readsPerMinute: 2 } }) },
    });
    for (let from = 0; from < 2500; from += 500)
      await poor.register(...Array.from({ length: 500 }, (_, i) => ({ name: `n${from + i}` })));
    expect(await poor.request('GET', '/api/v1/Resource/tree')).toMatchObject({
      status: 429,
      body: { limitType: 'ReadsPerMinute' },
    });
    await poor.stop();
  });
});

describe('of long lists of a tenant', () => {
  test('an instance reads four at the same time; one more gets a 429, and one that its reader leaves ends', async () => {
    const open = async () => {
      const stop = new AbortController();
      const response = await fetch(`${one.url}/api/v1/Resource/tree`, {
        headers: { 'X-Api-Key': one.key },
        signal: stop.signal,
      });
      return { response, stop };
    };
    // Each is begun by its first page; the rest waits for its reader.
    const statuses = (await Promise.all(Array.from({ length: 40 }, open))).map(({ response, stop }) => {
      stop.abort();
      return response.status;
    });
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await until('all have ended', async () => (await open()).response.status === 200);
    // Readers that leave before the first byte, too.
    for (let i = 0; i < 20; i++) {
      const stop = new AbortController();
      const headers = { 'X-Api-Key': one.key };
      const leaving = fetch(`${one.url}/api/v1/Resource/tree`, { headers, signal: stop.signal }).catch(() => {});
      setTimeout(() => stop.abort(), i);
      await leaving;
    }
    await until('these have ended', async () => (await open()).response.status === 200);
  });
});

describe('the tree', () => {
  test('of more than a page is one JSON document, every node in it once', async () => {
    const { body } = await one.tree();
    expect(body.map(({ name }) => name)).toEqual(['root']);
    expect(body[0]?.children.map(({ path }) => path)).toEqual(['root>branch']);
    const names = body[0]?.children[0]?.children.map(({ name }) => name);
    expect(names).toEqual(Array.from({ length: 2500 }, (_, i) => `n${i}`).sort());
  });

  test('without anything registered is an empty array', async () => {
    const empty = await startInstance();
    expect((await empty.tree()).body).toEqual([]);
    expect((await empty.definitions()).body).toEqual([]);
    await empty.stop();
  });
});
