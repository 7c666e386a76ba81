/** The mirror as pages use it: a store that renders what is held, the connection, and who waits. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type MirrorOptions, openMirror } from '../../../packages/client/src/events/mirror.ts';
import type { Request } from '../../../packages/client/src/http/api.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { type Relay, startRelay } from '../../support/haproxy.ts';
import { useSyncExternalStore } from '../../support/react.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { tokenOf } from './traffic.ts';

let one: Instance;
let relay: Relay;
beforeAll(async () => {
  one = await startInstance({ env: { ROLE: 'all' } });
  relay = await startRelay(one);
});
afterAll(async () => {
  await relay.stop();
  await one.stop();
});

let closing = new AbortController();
afterEach(async () => {
  closing.abort();
  closing = new AbortController();
  await one.reset();
});
const open = (options: MirrorOptions = {}) =>
  openMirror(createApi({ url: relay.url, key: one.key }), { signal: closing.signal, ...options });

describe('for pages that render what is held', () => {
  it('gets the same array until it changes, also after a lost connection', async () => {
    await one.reserve({ resource: 'printer', requester: 'ann' }, { resource: 'scanner', requester: 'ann' });
    const connections: boolean[] = [];
    const mirror = await open({ onConnection: (connected) => connections.push(connected) });
    const [printer, scanner] = [mirror.get('printer'), mirror.get('scanner')];
    expect(mirror.get('printer')).toBe(printer);
    expect(mirror.get('nothing')).toBe(mirror.get('nothing'));
    relay.shut();
    await expect.poll(() => mirror.connected).toBe(false);
    await one.reset();
    await one.reserve({ resource: 'scanner', requester: 'bob' });
    relay.open();
    await expect.poll(() => mirror.get('scanner')).not.toBe(scanner);
    expect(mirror.get('scanner')).toMatchObject([{ requester: 'bob' }]);
    const same = mirror.get('scanner');
    await expect.poll(() => mirror.connected).toBe(true);
    connections.length = 0;
    relay.cut();
    // It may be connected again before anybody looks.
    await expect.poll(() => connections).toEqual([false, true]);
    expect(mirror.get('scanner')).toBe(same);
  });

  it('renders each change once, in a component that uses the store as React does', async () => {
    const mirror = await open();
    const seen: string[] = [];
    const component = useSyncExternalStore(mirror.subscribe, () => mirror.get('printer'));
    component.render = (rows) => seen.push(rows.map(({ requester }) => requester).join());
    const token = await tokenOf(one, { resource: 'printer', requester: 'ann' });
    await one.reserve({ resource: 'scanner', requester: 'bob' });
    await one.unreserve({ resource: 'printer', requester: 'ann', releaseToken: token });
    await expect.poll(() => seen).toEqual(['ann', '']);
    component.unmount();
    await one.reserve({ resource: 'printer', requester: 'eve' });
    await expect.poll(() => mirror.get('printer').length).toBe(1);
    expect(seen).toEqual(['ann', '']);
  });

  it('says when the connection is lost and when it is back, by onConnection and to its subscribers', async () => {
    const told: boolean[] = [];
    const seen: boolean[] = [];
    const mirror = await open({ onConnection: (connected) => told.push(connected) });
    mirror.subscribe(() => seen.push(mirror.connected));
    relay.cut();
    await expect.poll(() => told).toEqual([false, true]);
    closing.abort();
    await mirror.closed;
    expect(told).toEqual([false, true, false]);
    expect(seen).toEqual(told);
  });
});

describe('a mirror of who waits', () => {
  const wait = (resource: string, requester: string, priority = 0) =>
    one.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource, requester, waitSeconds: 600, ttlSeconds: 60, priority },
    ]);
  const queue = async () => (await one.waiting()).body;

  it('has the queue in its order, and follows it', async () => {
    await one.reserve({ resource: 'printer', requester: 'ann' });
    await wait('printer', 'bob');
    const mirror = await open({ waiting: true });
    expect(mirror.waiting).toEqual(await queue());
    const before = mirror.waiting;
    expect(mirror.waiting).toBe(before);
    await wait('printer', 'first', 10);
    await wait('printer', 'last', -10);
    const names = () => mirror.waiting.map(({ requester }) => requester);
    await expect.poll(names).toEqual(['first', 'bob', 'last']);
    expect(mirror.waiting).toEqual(await queue());
    await one.request('POST', '/api/v1/Reservation/cancel', [{ resource: 'printer', requester: 'bob' }]);
    await expect.poll(names).toEqual(['first', 'last']);
    relay.shut();
    await expect.poll(() => mirror.connected).toBe(false);
    await one.reset();
    relay.open();
    await expect.poll(names).toEqual([]);
  });

  it('reads the queue again at most once a second, however often it changes', async () => {
    await one.reserve({ resource: 'printer', requester: 'ann' });
    let reads = 0;
    const api = createApi(one);
    const request = async <Result>(asked: Request) => {
      if (asked.path.endsWith('waiting')) reads++;
      return api.request<Result>(asked);
    };
    const mirror = await openMirror({ ...api, request }, { signal: closing.signal, waiting: true });
    const started = performance.now();
    for (let i = 0; i < 30; i++) await wait('printer', `r${i}`);
    await expect.poll(() => mirror.waiting.length).toBe(30);
    expect(reads).toBeLessThanOrEqual(3 + (performance.now() - started) / 1000);
  });

  it('is not there unless it was asked for', async () => {
    const mirror = await open();
    expect(() => mirror.waiting).toThrow('open the mirror with { waiting: true }');
  });
});
