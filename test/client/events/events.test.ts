/** The stream of events, as an iteration that goes on when a connection ends. */

import { setImmediate as nextIteration } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectionChange, events, stream } from '../../../packages/client/src/events/stream.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { Holdfast } from '../../../packages/client/src/index.ts';
import type { HoldfastEvent } from '../../../packages/client/src/types.ts';
import { type Relay, startRelay } from '../../support/haproxy.ts';
import { one, two as other, useTwo } from '../../support/instance.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

const keys = useTwo();
let relay: Relay;
beforeAll(async () => {
  relay = await startRelay(one, other);
});
afterAll(() => relay.stop());

type Told = HoldfastEvent | ConnectionChange;
const api = () => createApi({ url: relay.url, key: one.key });
const open = (options = {}) => events(api(), options)[Symbol.asyncIterator]();
const brief = (told: Told) => ('resource' in told ? `${told.type} ${told.resource}` : told.type);
async function next(iterator: AsyncIterator<Told, void>, count: number) {
  const seen = [];
  while (seen.length < count) {
    const { value } = await iterator.next();
    seen.push(value && brief(value));
  }
  return seen;
}
let names = 0;
const reserve = async (instance = one) => {
  const resource = `r${names++}`;
  await instance.reserve({ resource, requester: 'ann' });
  return resource;
};

describe('events()', () => {
  it('begins with CONNECTED, then has every change, whichever instance made it', async () => {
    const iterator = open();
    expect(await next(iterator, 1)).toEqual(['CONNECTED']);
    const [a, b] = [await reserve(one), await reserve(other)];
    expect(await next(iterator, 2)).toEqual([`RESERVED ${a}`, `RESERVED ${b}`]);
    await iterator.return?.();
  });

  it('has only the types that were asked for, and the changes of the connection', async () => {
    const iterator = open({ types: ['RESET'] });
    expect(await next(iterator, 1)).toEqual(['CONNECTED']);
    await reserve();
    await one.reset();
    expect(await next(iterator, 1)).toEqual(['RESET null']);
    relay.cut();
    expect(await next(iterator, 2)).toEqual(['DISCONNECTED', 'CONNECTED']);
    await iterator.return?.();
  });

  it('closes its connection when the loop is left', async () => {
    // Those of the tests before.
    await expect.poll(streams).toBe(0);
    for await (const { type } of events(api())) if (type === 'CONNECTED') break;
    await expect.poll(streams).toBe(0);
  });

  it('ends without an error when its signal aborts, also while it waits for an event', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    for await (const { type } of events(api(), { signal: controller.signal })) {
      seen.push(type);
      setImmediate(() => controller.abort());
    }
    expect(seen).toEqual(['CONNECTED']);
    const already = events(api(), { signal: AbortSignal.abort() });
    expect(await already.next()).toEqual({ done: true, value: undefined });
  });
});

/** Open streams of the tenant, by the leases that they have. */
const streams = () => one.redis.zcard(`{${one.tenant}}:streams`);

describe('a stream that ends', () => {
  it('is opened again, and DISCONNECTED and CONNECTED enclose what may be missing', async () => {
    const iterator = open();
    const seen = await next(iterator, 1);
    for (let i = 0; i < 3; i++) {
      relay.cut();
      seen.push(...(await next(iterator, 2)));
    }
    const resource = await reserve();
    seen.push(...(await next(iterator, 1)));
    expect(seen).toEqual(['CONNECTED', ...Array(3).fill(['DISCONNECTED', 'CONNECTED']).flat(), `RESERVED ${resource}`]);
    await iterator.return?.();
  });

  it('counts as lost when it is silent for longer than three keepalives', async () => {
    const stalling = await startRelay(one);
    const iterator = stream(createApi({ url: stalling.url, key: one.key }), undefined, 300);
    expect(await next(iterator, 1)).toEqual(['CONNECTED']);
    stalling.stall();
    expect(await next(iterator, 2)).toEqual(['DISCONNECTED', 'CONNECTED']);
    await iterator.return();
    await stalling.stop();
  });

  it('moves to another instance when its own one leaves', async () => {
    const leaving = await startInstance({ keys });
    const balancer = await startRelay(leaving, one);
    const iterator = events(createApi({ url: balancer.url, key: one.key }))[Symbol.asyncIterator]();
    expect(await next(iterator, 1)).toEqual(['CONNECTED']);
    leaving.leave();
    expect(await next(iterator, 1)).toEqual(['DISCONNECTED']);
    await leaving.stop();
    expect(await next(iterator, 1)).toEqual(['CONNECTED']);
    const resource = await reserve();
    expect(await next(iterator, 1)).toEqual([`RESERVED ${resource}`]);
    await iterator.return?.();
    await balancer.stop();
  });
});

describe('what cannot be mended', () => {
  it('throws: a key that the service refuses', async () => {
    const refused = events(createApi({ url: relay.url, key: makeConfiguredKey(makeTenant()).key }));
    await expect(refused.next()).rejects.toMatchObject({ name: 'HoldfastError', code: 'UNAUTHENTICATED', status: 401 });
  });
});

/** Events and mirrors end when their signal aborts, whatever the garbage collector has taken by then. */
describe('a signal that aborts', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await startInstance();
  });
  afterAll(() => instance.stop());

  async function collectGarbage(): Promise<void> {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    for (let i = 0; i < 5 && typeof collect === 'function'; i++) {
      collect();
      await nextIteration();
    }
  }

  it('events()', async () => {
    const ending = new AbortController();
    const told: string[] = [];
    for await (const { type } of new Holdfast({ url: instance.url, key: instance.key }).events({
      signal: ending.signal,
    })) {
      told.push(type);
      void collectGarbage().then(() => ending.abort());
    }
    expect(told).toEqual(['CONNECTED']);
  });

  it('mirror()', async () => {
    const ending = new AbortController();
    const mirror = await new Holdfast({ url: instance.url, key: instance.key }).mirror({ signal: ending.signal });
    await collectGarbage();
    ending.abort();
    await mirror.closed;
  });
});
