/** Holds and waits when the service, an instance, a response or a key is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { test as base, describe, expect } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { loadTenant } from '../../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../../src/identity/configured.ts';
import { type Pair, startPair } from '../../support/clients.ts';
import { startEngine } from '../../support/engine.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Each test has two instances, and a client of the first one by way of a proxy: most of them wait, side by side. */
const test = base.extend<{ pair: Pair; proxy: FaultyProxy; client: Holdfast }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest finds out by it that this needs no other fixture
  pair: async ({}, use) => {
    const pair = await startPair();
    await pair.a.register({ name: 'phone1', labels: { os: 'android' } });
    await use(pair);
    await pair.stop();
  },
  proxy: async ({ pair }, use) => {
    const proxy = await startFaultyProxy(pair.one.url);
    await use(proxy);
    await proxy.stop();
  },
  client: async ({ pair, proxy }, use) => use(new Holdfast({ url: proxy.url, key: pair.one.key })),
});

const NOWHERE = 'http://127.0.0.1:9';
const isWaiting = (pair: Pair, resource: string) =>
  until(`somebody waits for ${resource}`, async () => (await pair.b.check(resource)).waiting === 1);

describe.concurrent('a service that is lost', () => {
  test('keeps using no longer than the lease and a second', async ({ proxy, client }) => {
    let end = Promise.resolve(Number.NaN);
    const lost = client.using('settled', { ttl: '4s' }, async (hold, signal) => {
      proxy.target = NOWHERE;
      // A busy machine delays this timer as it delays those of the client.
      end = pause(4000).then(() => performance.now());
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      // The last renewal has failed, too. Had it been carried out, the lease would last until 4 s from then.
      await until('the end of the lease', () => hold.remainingMs < -150);
    });
    await expect(lost).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(performance.now()).toBeLessThan((await end) + 1300);
  });

  test('for a while costs no lease: renewals are repeated', async ({ proxy, client }) => {
    await client.using('work', { ttl: '8s' }, async (hold, signal) => {
      const before = hold.expiresAt?.getTime() ?? 0;
      const busy = { status: 503, body: { error: 'Try again.', code: 'OVERLOADED' } };
      const broken = { status: 500, body: { error: 'A fault of the service.', code: 'INTERNAL' } };
      proxy.next('drop', 'lose', busy, broken);
      await until('a renewal', () => (hold.expiresAt?.getTime() ?? 0) > before);
      expect(signal.aborted).toBe(false);
    });
  });

  test('does not lose the result of work that was done: the release is repeated until the lease is over', async ({
    pair,
    proxy,
    client,
  }) => {
    const released = client.using('back', { ttl: '20s' }, () => {
      proxy.next('drop', 'drop', 'drop');
      return 'done';
    });
    expect(await released).toBe('done');
    expect(await pair.b.available('back')).toBe(true);
    const session = await client.session({ ttl: '5s' });
    const over = client.using('over', { ttl: '2s' }, () => {
      proxy.target = NOWHERE;
      return 'done';
    });
    expect(await over).toBe('done');
    expect(await session.end()).toBe(0);
    await until('the lease has ended it', () => pair.b.available('over'));
  });
});

describe.concurrent('a renewal that makes a lease shorter', () => {
  test('counts from when it was sent, even if no response comes', async ({ pair, proxy, client }) => {
    const hold = await client.reserve('shorter', { ttl: '60s' });
    const { signal } = hold;
    proxy.next('lose', 'hang');
    const started = performance.now();
    await expect(hold.renew('1s')).rejects.toMatchObject({ name: 'HoldfastError' });
    expect(signal.aborted).toBe(true);
    // Its lease was 60 s.
    expect(performance.now() - started).toBeLessThan(20_000);
    await until('the lease has ended it', () => pair.b.available('shorter'));
  });
});

describe.concurrent('a first response that was lost', () => {
  test.for([
    ['a try', 'printer', {}],
    ['several names', ['a', 'b'], {}],
    ['a wait', 'printer', { wait: '20s' }],
    ['a wait for several names', ['a', 'b'], { wait: '20s' }],
    ['a match', { match: { os: 'android' } }, {}],
  ] as const)('gives the hold all the same: %s', async ([, target, options], { pair, proxy, client }) => {
    proxy.next('lose');
    const hold = await client.reserve(target, { ttl: '20s', ...options });
    const active = await pair.b.active();
    expect(active.map(({ fencingToken }) => fencingToken)).toEqual(
      expect.arrayContaining(hold.reservations.map(({ fencingToken }) => fencingToken)),
    );
    expect(active).toHaveLength(hold.reservations.length);
    // Its lease is whole, by a renewal.
    expect(active.map(({ expiresAt }) => expiresAt)).toEqual(
      hold.reservations.map(({ expiresAt }) => expiresAt?.toISOString()),
    );
    expect(hold.signal.aborted).toBe(false);
    expect(await hold.release()).toBe(true);
  });

  test('of a grant gives the hold', async ({ pair, proxy, client }) => {
    const held = await pair.a.reserve('granted');
    proxy.next('lose');
    const wait = client.reserve('granted', { wait: '20s' });
    await isWaiting(pair, 'granted');
    await held.release();
    await using hold = await wait;
    expect((await pair.b.active())[0]?.fencingToken).toBe(hold.fencingToken);
  });

  test('of a release is a release', async ({ proxy, client }) => {
    const hold = await client.reserve('released');
    proxy.next('lose');
    expect(await hold.release()).toBe(true);
  });

  test('of a transaction gives its first results, and of a session begins one', async ({ pair, proxy, client }) => {
    const { reservations } = await client.reserve('from');
    const [{ resource, requester, releaseToken } = { resource: '', requester: '', releaseToken: '' }] = reservations;
    proxy.next('lose');
    const response = await client.transaction({
      method: 'ALL_OR_NONE',
      requests: [
        { requestType: 'UNRESERVE', resource, requester, releaseToken },
        { requestType: 'RESERVE', resource: 'to' },
      ],
    });
    expect(response.results.map(({ status }) => status)).toEqual(['RELINQUISHED', 'ACQUIRED']);
    proxy.next('lose');
    await using session = await client.session();
    expect((await pair.b.sessions()).map(({ session }) => session)).toEqual([session.id]);
  });
});

/** The lease counts from the attempt that began it, and the client must not believe it to last longer. */
describe.concurrent('a repeat long after the attempt that failed', () => {
  /** Makes the next attempt fail, and the one after the repeat come so many seconds later. */
  const failThenPause = (proxy: FaultyProxy, fault: Fault, seconds: number) =>
    proxy.next(fault, {
      status: 429,
      headers: { 'Retry-After': String(seconds) },
      body: { error: 'as a test wants it', code: 'LIMIT_REACHED', limitType: 'WritesPerMinute' },
    });
  const endOf = (rows: readonly { readonly expiresAt: string | null }[]) =>
    Math.min(...rows.map(({ expiresAt }) => Date.parse(expiresAt ?? '')));

  test.for([
    ['lose', 2],
    ['lose', 6],
    ['drop', 6],
  ] as const)(
    'begins a session that is in force and counts its lease: %s, %i s',
    async ([fault, seconds], { pair, proxy, client }) => {
      failThenPause(proxy, fault, seconds);
      await using session = await client.session({ ttl: '5s' });
      const { remainingMs } = await session.reserve('in the session');
      const believed = Date.now() + remainingMs;
      const sessions = (await pair.b.sessions()).filter((one) => one.session === session.id);
      expect(sessions).toHaveLength(1);
      expect(believed).toBeLessThan(endOf(sessions));
      expect(remainingMs).toBeGreaterThan(1000);
    },
  );

  test('renews a session from the renewal that was answered', async ({ pair, proxy, client }) => {
    await using session = await client.session({ ttl: '5s' });
    const hold = await session.reserve('in the session');
    const renewals = () => proxy.noted.filter(({ path }) => path === '/Session/renew').length;
    failThenPause(proxy, 'lose', 1);
    const { expiresAt } = session;
    await until('a renewal', () => session.expiresAt > expiresAt);
    const believed = Date.now() + hold.remainingMs;
    expect(renewals()).toBe(3);
    expect(believed).toBeLessThan(endOf(await pair.b.sessions()));
  });

  test.for([
    ['a try', 'printer', {}, 1],
    ['a try whose first lease is over', 'printer', {}, 6],
    ['several names', ['a', 'b'], {}, 1],
    ['a wait', 'printer', { wait: '20s' }, 1],
    ['a wait for several names', ['a', 'b'], { wait: '20s' }, 1],
    ['a match', { match: { os: 'android' } }, {}, 1],
  ] as const)('reserves and counts its lease: %s', async ([, target, options, seconds], { pair, proxy, client }) => {
    failThenPause(proxy, 'lose', seconds);
    const hold = await client.reserve(target, { ttl: '5s', ...options });
    const believed = Date.now() + hold.remainingMs;
    expect(believed).toBeLessThan(endOf(await pair.b.active()));
    expect(hold.signal.aborted).toBe(false);
  });

  test('gets a grant and counts its lease', async ({ pair, proxy, client }) => {
    const held = await pair.a.reserve('granted');
    failThenPause(proxy, 'lose', 1);
    const wait = client.reserve('granted', { ttl: '5s', wait: '20s' });
    await isWaiting(pair, 'granted');
    await held.release();
    const hold = await wait;
    const believed = Date.now() + hold.remainingMs;
    expect(believed).toBeLessThan(endOf(await pair.b.active()));
  });

  test('renews a hold from the renewal that was answered', async ({ pair, proxy, client }) => {
    const hold = await client.reserve('renewed', { ttl: '5s' });
    failThenPause(proxy, 'lose', 1);
    await hold.renew();
    const believed = Date.now() + hold.remainingMs;
    expect(believed).toBeLessThan(endOf(await pair.b.active()));
  });
});

describe.concurrent('a wait', () => {
  test.for([
    [{ ttl: '6s' }, 2],
    [{}, 10],
    [{ ttl: '10m' }, 20],
    [{ ttl: '10m', onWaiting: () => {} }, 5],
  ] as const)(
    'with %j joins the queue, then is held for %i s: a third of the lease',
    async ([options, seconds], { pair, proxy, client }) => {
      await using _ = await pair.b.reserve('held');
      const giveUp = new AbortController();
      const wait = client.reserve('held', { wait: '30s', signal: giveUp.signal, ...options });
      await isWaiting(pair, 'held');
      await expect.poll(() => proxy.noted[1]?.path).toBe(`/Reservation/reserve?pollSeconds=${seconds}`);
      giveUp.abort();
      await expect(wait).rejects.toMatchObject({ name: 'AbortError' });
    },
  );

  test('keeps its turn when the instance that held its call stops', async ({ pair, proxy, client }) => {
    const keys = [{ ...makeConfiguredKey(pair.one.tenant), key: pair.one.key }];
    const stopping = await startInstance({ keys });
    proxy.target = stopping.url;
    await using held = await pair.b.reserve('turn');
    const first = client.reserve('turn', { wait: '30s' });
    await isWaiting(pair, 'turn');
    const [ticket] = await pair.b.waiting({ resource: 'turn' });
    const later = pair.b.reserve('turn', { wait: '30s' });
    await until('both wait', async () => (await pair.b.waiting({ resource: 'turn' })).length === 2);
    await stopping.stop();
    proxy.target = pair.two.url;
    const calls = proxy.noted.length;
    await until('it has asked again', () => proxy.noted.length > calls);
    expect((await pair.b.waiting({ resource: 'turn' }))[0]?.since).toBe(ticket?.since);
    await held.release();
    await (await first).release();
    await (await later).release();
  });

  test('goes on when its key is rotated', async () => {
    const tenant = makeTenant();
    const [old, rotated] = [makeConfiguredKey(tenant), makeConfiguredKey(tenant)];
    const instance = await startInstance({ keys: [rotated, old] });
    let current = old.key;
    let asked = 0;
    const key = () => {
      asked += 1;
      return current;
    };
    const rotating = new Holdfast({ url: instance.url, key });
    const owner = new Holdfast({ url: instance.url, key: instance.key });
    const held = await owner.reserve('rotated');
    const wait = rotating.reserve('rotated', { wait: '30s' });
    await until('it waits', async () => (await owner.waiting()).length === 1);
    const [ticket] = await owner.waiting();
    const { engine, stop } = await startEngine(tenant);
    const record = configuredTenants([rotated]).get(tenant);
    current = rotated.key;
    const before = asked;
    if (record) await loadTenant(engine.redis, record);
    await until('the long poll has ended', () => asked > before);
    expect((await owner.waiting())[0]?.since).toBe(ticket?.since);
    await held.release();
    expect((await wait).requester).toBe(rotating.requester);
    stop();
    await instance.stop();
  });
});
