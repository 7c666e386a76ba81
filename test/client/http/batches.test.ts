/** The client's calls travel in batches. A proxy before the real service counts what it is sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../packages/client/src/http/api.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { MAX_IN_FLIGHT } from '../../../packages/client/src/http/lane.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

const TIERS = { Free: { writesPerMinute: 12 }, Starter: { reservations: 5 } };
const poor = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
const small = { ...makeConfiguredKey(makeTenant()), tier: 'Starter' as const };

let service: Instance;
let proxy: FaultyProxy;
let api: Api;
let fresh = 0;
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant()), poor, small];
  service = await startInstance({ keys, env: { TIERS: JSON.stringify(TIERS) } });
  proxy = await startFaultyProxy(service.url);
  api = createApi({ url: proxy.url, key: service.key });
});
beforeEach(() => void proxy.noted.splice(0));
afterAll(() => Promise.all([service.stop(), proxy.stop()]));

const nextItem = () => ({ resource: `r${fresh++}`, requester: 'ann', ttlSeconds: 60 });
const some = <Value>(count: number, make: (i: number) => Value) => Array.from({ length: count }, (_, i) => make(i));
const sent = (): { resource: string }[][] => proxy.noted.map(({ body }) => JSON.parse(body));
const sizes = (): number[] => sent().map(({ length }) => length);
const statusOf = async (call: Promise<{ result: { status: string } }>): Promise<string> =>
  call.then(
    ({ result }) => result.status,
    ({ code }) => code,
  );

/** Makes as many calls as may be in flight, which the proxy keeps until `release` is called. */
async function makeBusy(): Promise<{ calls: Promise<unknown>[]; release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  proxy.next(...some(MAX_IN_FLIGHT, () => released));
  const calls: Promise<unknown>[] = [];
  for (let i = 0; i < MAX_IN_FLIGHT; i++) {
    calls.push(api.reserve(nextItem()));
    await expect.poll(() => proxy.noted.length, { interval: 1 }).toBe(i + 1);
  }
  return { calls, release };
}

describe('calls of a kind', () => {
  it('leave at once if none is in flight, and together while others are', async () => {
    const { calls, release } = await makeBusy();
    const later = some(3, nextItem);
    calls.push(...later.map((item) => api.reserve(item)));
    const [checked] = await Promise.all([api.check({ resource: 'x' })]); // another kind: does not wait
    expect(checked.result.reserved).toBe(false);
    release();
    await Promise.all(calls);
    const together = sent().find(({ length }) => length > 1);
    expect(together?.map(({ resource }) => resource)).toEqual(later.map(({ resource }) => resource));
    // On a slow machine they leave before the check, since requests in flight count for a second only.
    expect(sizes().toSorted()).toEqual([...some(MAX_IN_FLIGHT, () => 1), 1, 3]);
  });

  it('that are made in one iteration of the event loop travel together, each with its own result', async () => {
    const taken = nextItem();
    await api.reserve({ ...taken, requester: 'bob' });
    const answers = await Promise.all(
      [nextItem(), taken, { ...nextItem(), requester: 'eve' }].map((one) => api.reserve(one)),
    );
    expect(answers.map(({ result }) => [result.status, result.requester])).toEqual([
      ['ACQUIRED', 'ann'],
      ['ALREADY_HELD', 'ann'],
      ['ACQUIRED', 'eve'],
    ]);
    expect(sizes()).toEqual([1, 3]);
  });

  it.each([
    [32, [32]],
    [40, [8, 32]],
    [150, [50, 50, 50]],
  ])('travel in several requests if there are many: %i', async (count, together) => {
    await Promise.all(some(count, (i) => api.check({ resource: `x${i}` })));
    expect(sizes().toSorted((a, b) => a - b)).toEqual(together);
  });

  it('are not held up for long by requests that get no response', async () => {
    const { calls, release } = await makeBusy();
    expect(await statusOf(api.reserve(nextItem()))).toBe('ACQUIRED');
    release();
    await Promise.all(calls);
  });

  it('leave in the order in which they came, also those that are repeated', async () => {
    const { calls, release } = await makeBusy();
    const batch = some(5, nextItem);
    calls.push(...batch.map((item) => api.reserve(item)));
    proxy.next('drop');
    release();
    await Promise.all(calls);
    expect(sent().at(-1)).toEqual(batch);
  });
});

describe('a batch', () => {
  it('has at most 500 items, where slots count as items', async () => {
    await api.request({ method: 'POST', path: '/Resource/register', body: [{ name: 'pool', capacity: 1000 }] });
    proxy.noted.splice(0);
    const many = some(1600, (i) => api.check({ resource: `x${i}` }));
    const slots = some(3, (i) => api.reserve({ resource: 'pool', requester: `r${i}`, count: 200, ttlSeconds: 60 }));
    await Promise.all(many);
    expect((await Promise.all(slots)).map(({ result }) => result.slots?.length)).toEqual([200, 200, 200]);
    const of = (verb: string) =>
      proxy.noted.filter(({ path }) => path.endsWith(verb)).map(({ body }) => JSON.parse(body).length);
    expect(of('check').toSorted()).toEqual([100, 500, 500, 500]);
    expect(of('reserve').toSorted()).toEqual([1, 2]);
  });

  it('has at most 512 KiB, whatever it is written in', async () => {
    const note = '印'.repeat(500);
    const calls = some(450, () => api.reserve({ ...nextItem(), note }));
    for (const { result } of await Promise.all(calls)) expect(result.status).toBe('ACQUIRED');
    for (const { body } of proxy.noted) expect(Buffer.byteLength(body)).toBeLessThan(512 * 1024);
    expect(sizes().length).toBeGreaterThan(1);
  });

  it('has one item with a match of a requester, since a second one would take a second resource', async () => {
    const phones = some(2, (i) => ({ name: `phone${i}`, labels: { os: 'android' } }));
    await api.request({ method: 'POST', path: '/Resource/register', body: phones });
    const item = { match: { os: 'android' }, requester: 'ann', ttlSeconds: 60 };
    const answers = await Promise.all([api.reserve(item), api.reserve(item)]);
    expect(answers.map(({ result }) => result.status).toSorted()).toEqual(['ACQUIRED', 'ALREADY_HAD']);
  });

  it('that is refused as a whole is sent again in halves, down to the item that is at fault', async () => {
    const calls = some(16, (i) => api.reserve({ ...nextItem(), requester: i === 5 ? 'system:x' : 'ann' }));
    const statuses = await Promise.all(calls.map(statusOf));
    expect(statuses).toEqual(some(16, (i) => (i === 5 ? 'MALFORMED_REQUEST' : 'ACQUIRED')));
    expect(sizes()).toEqual([16, 8, 4, 4, 2, 1, 1, 2, 8]);
    await expect(calls[5]).rejects.toThrow('[0].requester');
  });

  it.each([413, 403, 500])('is sent in halves also after a %i', async (status) => {
    proxy.next({ status, body: { error: 'as a test wants it', code: 'X' } });
    const statuses = await Promise.all(some(4, () => statusOf(api.reserve(nextItem()))));
    expect(statuses).toEqual(some(4, () => 'ACQUIRED'));
    expect(sizes()).toEqual([4, 2, 2]);
  });

  it('whose key is not valid is not sent again', async () => {
    const stranger = createApi({ url: proxy.url, key: 'hf_nobody_00000000000000000000000000000000' });
    const codes = await Promise.all(some(4, () => statusOf(stranger.reserve(nextItem()))));
    expect(codes).toEqual(some(4, () => 'UNAUTHENTICATED'));
    expect(sizes()).toEqual([4]);
  });
});

describe('at a limit', () => {
  it('what still fits is carried out, and nothing is sent once the quota is used up', async () => {
    const theirs = createApi({ url: proxy.url, key: poor.key });
    const statuses = await Promise.all(some(30, () => statusOf(theirs.reserve(nextItem()))));
    expect(statuses).toEqual(some(30, (i) => (i < 12 ? 'ACQUIRED' : 'LIMIT_REACHED')));
    expect(sizes()).toEqual([30, 15, 7, 8, 4, 4, 2, 1, 1]);
  });

  it('an item that fits does not wait for one that does not', async () => {
    const theirs = createApi({ url: proxy.url, key: small.key });
    await theirs.request({ method: 'POST', path: '/Resource/register', body: [{ name: 'pool', capacity: 10 }] });
    const controller = new AbortController();
    const { signal } = controller;
    const large = statusOf(
      theirs.reserve({ resource: 'pool', requester: 'ann', count: 9, ttlSeconds: 60 }, { signal }),
    );
    const fitting = some(3, () => statusOf(theirs.reserve(nextItem())));
    expect(await Promise.all(fitting)).toEqual(['ACQUIRED', 'ACQUIRED', 'ACQUIRED']);
    expect(await statusOf(theirs.reserve(nextItem()))).toBe('ACQUIRED');
    controller.abort({ code: 'GIVEN_UP' });
    expect(await large).toMatch(/GIVEN_UP|LIMIT_REACHED/);
  });
});
