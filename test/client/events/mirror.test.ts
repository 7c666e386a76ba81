/** The mirror: what is held, kept current by events. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type MirrorOptions, openMirror } from '../../../packages/client/src/events/mirror.ts';
import { events } from '../../../packages/client/src/events/stream.ts';
import type { Api, Request } from '../../../packages/client/src/http/api.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import type { Client } from '../../support/client.ts';
import { type Relay, startRelay } from '../../support/haproxy.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { begin, end } from '../../support/sessions.ts';
import { expectSame, held, inside, tokenOf, traffic } from './traffic.ts';

const keys = [makeConfiguredKey(makeTenant())];
let one: Instance;
let other: Instance;
let relay: Relay;
beforeAll(async () => {
  const env = { ROLE: 'all' };
  [one, other] = await Promise.all([startInstance({ keys, env }), startInstance({ keys, env })]);
  relay = await startRelay(one, other);
  await one.register(
    { name: 'Room', capacity: 3, treePath: 'House' },
    { name: 'House', capacity: 5 },
    { name: 'phones', capacity: 4 },
  );
});
afterAll(async () => {
  await relay.stop();
  await Promise.all([one.stop(), other.stop()]);
});

let closing = new AbortController();
afterEach(async () => {
  closing.abort();
  closing = new AbortController();
  await one.reset();
});
const open = (options: MirrorOptions = {}) =>
  openMirror(createApi({ url: relay.url, key: one.key }), { signal: closing.signal, ...options });

describe('a mirror', () => {
  it('has everything that is held when it is opened', async () => {
    await one.reserve({ resource: 'printer', requester: 'ann', ttlSeconds: 60, note: 'report' });
    const mirror = await open();
    expect(inside(mirror)).toEqual(await held(one));
    expect(mirror.size).toBe(1);
    expect(mirror.connected).toBe(true);
    expect(mirror.get('printer')).toMatchObject([{ requester: 'ann', note: 'report' }]);
    expect(mirror.get('scanner')).toEqual([]);
  });

  it('tells each change, after it has it', async () => {
    const told: string[] = [];
    const mirror = await open({
      onChange: (resource, reservations) => {
        expect(mirror.get(resource)).toEqual(reservations);
        told.push(`${resource}: ${reservations.map(({ requester }) => requester).join()}`);
      },
    });
    const token = await tokenOf(one, { resource: 'printer', requester: 'ann' });
    await other.unreserve({ resource: 'printer', requester: 'ann', releaseToken: token });
    await one.reserve({ resource: 'Room', requester: 'ann' }, { resource: 'Room', requester: 'bob' });
    await one.reset();
    await expect.poll(() => told).toEqual(['printer: ann', 'printer: ', 'Room: ann', 'Room: ann,bob', 'Room: ']);
  });

  it('ends when its signal aborts, and keeps its last state', async () => {
    const mirror = await open();
    await one.reserve({ resource: 'printer', requester: 'ann' });
    await expect.poll(() => mirror.size).toBe(1);
    closing.abort();
    await mirror.closed;
    expect([mirror.connected, mirror.size]).toEqual([false, 1]);
    await expect(open({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  it('says why it ended: a key that is refused, an onChange that throws', async () => {
    const stranger = createApi({ url: relay.url, key: makeConfiguredKey(makeTenant()).key });
    await expect(openMirror(stranger)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const mirror = await open({
      onChange: () => {
        throw new Error('not like this');
      },
    });
    await one.reserve({ resource: 'printer', requester: 'ann' });
    await expect(mirror.closed).rejects.toThrow('not like this');
  });
});

describe('every kind of change reaches it', () => {
  const changes: Readonly<Record<string, (caller: Client) => Promise<unknown>>> = {
    'reservations of a name, a pool, a path, a slot, several slots': (caller) =>
      caller.reserve(
        { resource: 'printer', requester: 'ann', note: 'why', ttlSeconds: 60 },
        { resource: 'Room', requester: 'ann' },
        { resource: 'House>Room', requester: 'bob' },
        { resource: 'Room_2', requester: 'bob' },
        { resource: 'phones', requester: 'bob', count: 3 },
      ),
    'shared holds': async (caller) => {
      await caller.reserve({ resource: 'docs', requester: 'a', mode: 'SHARED' });
      const releaseToken = await tokenOf(caller, { resource: 'docs', requester: 'b', mode: 'SHARED' });
      await caller.reserve({ resource: 'docs', requester: 'c', mode: 'SHARED' });
      await caller.unreserve({ resource: 'docs', requester: 'b', releaseToken });
    },
    'a renewal': async (caller) => {
      const releaseToken = await tokenOf(caller, { resource: 'printer', requester: 'ann', note: 'why' });
      await caller.renew({ resource: 'printer', requester: 'ann', releaseToken, ttlSeconds: 600 });
    },
    'a transaction that releases by other names': async (caller) => {
      const room = await tokenOf(caller, { resource: 'Room', requester: 'ann' });
      const second = await tokenOf(caller, { resource: 'Room', requester: 'bob' });
      const phones = await tokenOf(caller, { resource: 'phones', requester: 'ann', count: 2 });
      await caller.transaction(
        'AS_MANY_AS_POSSIBLE',
        { requestType: 'UNRESERVE', resource: 'Room_0', requester: 'ann', releaseToken: room },
        { requestType: 'UNRESERVE', resource: 'House>Room', requester: 'bob', releaseToken: second },
        { requestType: 'UNRESERVE', resource: 'phones_1', requester: 'ann', releaseToken: phones },
        { requestType: 'RESERVE', resource: 'printer', requester: 'bob', ttlSeconds: 60, note: 'why' },
        { requestType: 'RESERVE', resource: 'printer', requester: 'eve' },
      );
    },
    'the end of a lease': (caller) => caller.reserve({ resource: 'printer', requester: 'ann', ttlSeconds: 1 }),
    'the end of a session': async (caller) => {
      const session = await begin(caller, 'ann');
      const { session: id } = session;
      await caller.reserve({ resource: 'a', requester: 'ann', session: id }, { resource: 'b', requester: 'ann' });
      await end(caller, session);
    },
    'a turn in the queue, and its claim': async (caller) => {
      const releaseToken = await tokenOf(caller, { resource: 'printer', requester: 'ann' });
      const path = '/api/v1/Reservation/reserve?pollSeconds=10';
      const item = { resource: 'printer', requester: 'bob', waitSeconds: 30, ttlSeconds: 60 };
      const waiting = caller.request('POST', path, [item]);
      await expect.poll(async () => (await caller.waiting()).body.length).toBe(1);
      await caller.unreserve({ resource: 'printer', requester: 'ann', releaseToken });
      await waiting;
    },
    'a reset': async (caller) => {
      await caller.reserve({ resource: 'printer', requester: 'ann' });
      await caller.reset();
      await caller.reserve({ resource: 'scanner', requester: 'ann' });
    },
  };
  for (const [what, change] of Object.entries(changes))
    it(what, async () => {
      const mirror = await open();
      await change(other);
      await one.reserve({ resource: 'last', requester: 'ann' });
      await expect.poll(() => mirror.get('last').length).toBe(1);
      await expectSame(mirror, one);
    });
});

describe('what changes while everything is read', () => {
  it('is in the mirror: it applies the events that came meanwhile', async () => {
    const releaseToken = await tokenOf(one, { resource: 'printer', requester: 'ann' });
    const api = createApi(one);
    const slow: Api = {
      ...api,
      request: async <Result>(request: Request) => {
        const read = await api.request<Result>(request);
        const others = events(api, { types: ['RESERVED'] });
        await others.next();
        await one.unreserve({ resource: 'printer', requester: 'ann', releaseToken });
        await one.reserve({ resource: 'scanner', requester: 'ann' });
        // The mirror's stream is older, so the instance writes to it first.
        await others.next();
        await others.return();
        return read;
      },
    };
    const mirror = await openMirror(slow, { signal: closing.signal });
    await expectSame(mirror, one);
  });
});

describe('a lost connection', () => {
  it('leaves the last state, and connected says so; then only the changes of the meantime are reported', async () => {
    const stays = { resource: 'stays', requester: 'ann', ttlSeconds: 600 };
    const goes = await tokenOf(one, { resource: 'goes', requester: 'ann' });
    await one.reserve(stays);
    const told: string[] = [];
    const mirror = await open({ onChange: (resource, { length }) => told.push(`${resource}: ${length}`) });
    relay.shut();
    await expect.poll(() => mirror.connected).toBe(false);
    await one.unreserve({ resource: 'goes', requester: 'ann', releaseToken: goes });
    await one.reserve({ resource: 'comes', requester: 'ann' });
    expect(mirror.get('goes').length).toBe(1);
    relay.open();
    await expect.poll(() => mirror.connected).toBe(true);
    expect(inside(mirror)).toEqual(await held(one));
    expect(told.sort()).toEqual(['comes: 1', 'goes: 0']);
  });
});

describe('random traffic of several clients through two instances, while connections are cut', () => {
  it('leaves the mirror as the service is, in each quiet moment', async () => {
    const mirror = await open();
    for (let round = 0; round < 2; round++) {
      const over = performance.now() + 600;
      const clients = [one, other, one, other].map((instance) => traffic(instance, () => performance.now() > over));
      const cutting = (async () => {
        while (performance.now() < over) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
          relay.cut();
        }
      })();
      await Promise.all([...clients, cutting]);
      // By chance all may have been released.
      await one.reserve({ resource: 'stays', requester: 'ann' });
      await expectSame(mirror, one);
      expect(mirror.size).toBeGreaterThan(0);
    }
  });
});
