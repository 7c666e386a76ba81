/** Calls end when their signal aborts: at once, alone, and without leaving anything reserved. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../packages/client/src/http/api.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { MAX_IN_FLIGHT } from '../../../packages/client/src/http/lane.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';

const REASON = new Error('not needed any more');

let service: Instance;
let proxy: FaultyProxy;
let api: Api;
let controller: AbortController;
let signal: AbortSignal;
let fresh = 0;
beforeAll(async () => {
  service = await startInstance();
  proxy = await startFaultyProxy(service.url);
});
beforeEach(() => {
  proxy.noted.splice(0);
  // Of its own for each test, so that no request is left in flight.
  api = createApi({ url: proxy.url, key: service.key });
  controller = new AbortController();
  signal = controller.signal;
});
afterAll(() => Promise.all([service.stop(), proxy.stop()]));

const nextItem = () => ({ resource: `r${fresh++}`, requester: 'ann', ttlSeconds: 60 });

/** A fault that keeps a request, until `end` is called. */
function gate(): { pass: Promise<void>; end: () => void } {
  let end = () => {};
  const pass = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { pass, end };
}

const arrived = (count: number) => expect.poll(() => proxy.noted.length, { interval: 1 }).toBe(count);

async function expectFree(resource: string): Promise<void> {
  await expect.poll(async () => (await service.check({ resource })).body).toMatchObject([{ reserved: false }]);
}

describe('before it is sent', () => {
  it('a call whose signal has aborted already is rejected', async () => {
    controller.abort(REASON);
    await expect(api.reserve(nextItem(), { signal })).rejects.toBe(REASON);
    await expect(api.reserve({ ...nextItem(), waitSeconds: 5 }, { signal })).rejects.toBe(REASON);
    await expect(api.request({ method: 'GET', path: '/Session', signal })).rejects.toBe(REASON);
    await expect(api.open('/events', { signal })).rejects.toBe(REASON);
    expect(proxy.noted).toHaveLength(0);
  });

  it('a call is taken out of its batch', async () => {
    const { pass, end } = gate();
    proxy.next(...Array(MAX_IN_FLIGHT).fill(pass));
    const calls: Promise<unknown>[] = [];
    for (let i = 1; i <= MAX_IN_FLIGHT; i++) {
      calls.push(api.reserve(nextItem()));
      await arrived(i);
    }
    const [given, kept] = [nextItem(), nextItem()];
    const aborted = api.reserve(given, { signal });
    calls.push(api.reserve(kept));
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    end();
    await Promise.all(calls);
    expect(JSON.parse(proxy.noted.at(-1)?.body ?? '')).toEqual([kept]);
  });
});

describe('after it was sent', () => {
  it('a call is rejected at once, its reservation is released, and others of its batch are not touched', async () => {
    const { pass, end } = gate();
    proxy.next(pass);
    const [given, kept] = [nextItem(), nextItem()];
    const aborted = api.reserve(given, { signal });
    const other = api.reserve(kept);
    await arrived(1);
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    end();
    expect((await other).result.status).toBe('ACQUIRED');
    await arrived(2);
    await expectFree(given.resource);
    expect((await service.check({ resource: kept.resource })).body).toMatchObject([{ reserved: true }]);
  });

  it('what its requester held before stays', async () => {
    const item = nextItem();
    await api.reserve(item);
    const { pass, end } = gate();
    proxy.next(pass);
    const aborted = api.reserve(item, { signal });
    const other = api.reserve(nextItem());
    await arrived(2);
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    end();
    await other;
    expect((await service.check({ resource: item.resource })).body).toMatchObject([{ reserved: true }]);
    expect(proxy.noted.map(({ path }) => path)).not.toContain('/Reservation/unreserve');
  });

  it('a request loses its connection', async () => {
    proxy.next('hang');
    const aborted = api.request({ method: 'GET', path: '/Session', signal });
    await arrived(1);
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    await expect.poll(() => proxy.noted[0]?.isGone).toBe(true);
  });

  it('a request that may have got something hands over a late answer', async () => {
    const { pass, end } = gate();
    proxy.next(pass);
    const late: unknown[] = [];
    const body = { method: 'ALL_OR_NONE', requests: [{ requestType: 'RESERVE', ...nextItem() }] };
    const aborted = api.request(
      { method: 'POST', path: '/Reservation/transaction', body, has: 'results', signal },
      ({ result }) => late.push(result),
    );
    await arrived(1);
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    end();
    await expect.poll(() => late).toMatchObject([{ status: 'APPLIED', results: [{ status: 'ACQUIRED' }] }]);
  });

  it('a call that waits gives back what it is granted in the same moment', async () => {
    const item = nextItem();
    const [held] = (await service.reserve({ ...item, requester: 'bob' })).body;
    const aborted = api.reserve({ ...item, waitSeconds: 60 }, { signal });
    await expect.poll(async () => (await service.waiting()).body.length).toBe(1);
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    await service.unreserve({ resource: item.resource, requester: 'bob', releaseToken: held?.releaseToken ?? '' });
    await expect.poll(() => proxy.noted.at(-1)?.path).toBe('/Reservation/unreserve');
    await expectFree(item.resource);
  });

  it('a call that waits loses its connection after two seconds without an answer', async () => {
    const item = nextItem();
    await service.reserve({ ...item, requester: 'bob' });
    const aborted = api.reserve({ ...item, waitSeconds: 60 }, { signal });
    await arrived(1);
    controller.abort(REASON);
    await expect(aborted).rejects.toBe(REASON);
    const start = performance.now();
    await expect.poll(() => proxy.noted[0]?.isGone).toBe(true);
    expect(performance.now() - start).toBeGreaterThan(1500);
  });
});

describe('between two attempts', () => {
  it('a call is rejected at once, and is not sent again', async () => {
    const refusal = { status: 429, headers: { 'Retry-After': '10' }, body: { error: '', code: 'LIMIT_REACHED' } };
    proxy.next(refusal, refusal);
    const start = performance.now();
    const calls = [api.reserve(nextItem(), { signal }), api.request({ method: 'GET', path: '/Session', signal })];
    await arrived(2);
    controller.abort(REASON);
    for (const call of calls) await expect(call).rejects.toBe(REASON);
    expect(performance.now() - start).toBeLessThan(9000);
    expect(proxy.noted).toHaveLength(2);
  });
});
