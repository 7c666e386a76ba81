/** Calls go on while instances stop and keys are rotated. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { type Balancer, startBalancer } from '../../support/haproxy.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

const CALLERS = 50;
const ours = makeConfiguredKey(makeTenant());
const next = makeConfiguredKey(ours.tenant);

let instances: Instance[];
let balancer: Balancer;
beforeAll(async () => {
  instances = await Promise.all([1, 2].map(() => startInstance({ keys: [ours, next] })));
  balancer = await startBalancer(instances.map(({ url }) => Number(new URL(url).port)));
});
afterAll(() => Promise.all([balancer.stop(), ...instances.map((one) => one.stop())]));

describe('a key that is returned by a function', () => {
  it('is read for each request, and once more if it was rotated meanwhile', async () => {
    const [first] = instances;
    const keys = [ours.key, 'hf_gone_00000000000000000000000000000000', next.key];
    const asked: string[] = [];
    const key = async () => {
      const value = keys.shift() ?? next.key;
      asked.push(value);
      return value;
    };
    const api = createApi({ url: first?.url ?? '', key });
    expect((await api.check({ resource: 'x' })).result.reserved).toBe(false);
    expect(asked).toHaveLength(1);
    expect((await api.check({ resource: 'x' })).result.reserved).toBe(false);
    expect(asked).toEqual([ours.key, 'hf_gone_00000000000000000000000000000000', next.key]);
    expect((await api.open('/events')).status).toBe(200);
  });

  it('that does not change after a 401 is not tried again', async () => {
    let asked = 0;
    const key = () => {
      asked++;
      return 'hf_gone_00000000000000000000000000000000';
    };
    const api = createApi({ url: instances[0]?.url ?? '', key });
    await expect(api.check({ resource: 'x' })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(asked).toBe(2);
  });

  it('fails the call at once if the function throws or returns no text', async () => {
    const url = instances[0]?.url ?? '';
    const cause = new Error('the vault is sealed');
    const throwing = createApi({ url, key: () => Promise.reject(cause) });
    await expect(throwing.check({ resource: 'x' })).rejects.toMatchObject({ code: 'INVALID_OPTION', cause });
    // @ts-expect-error JavaScript finds no such mistake.
    const silent = createApi({ url, key: () => undefined });
    await expect(silent.check({ resource: 'x' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});

describe('an instance that stops', () => {
  it('fails no call: each is carried out once, by the other one', async () => {
    const api = createApi({ url: balancer.url, key: ours.key });
    let cycles = 0;
    let stopped = Number.POSITIVE_INFINITY;
    // Of calls that the instance carried out and could not answer: the client or the balancer has repeated them.
    const repeats: string[] = [];
    const worker = async (_: unknown, number: number) => {
      for (let i = 0; cycles < stopped + 10 * CALLERS; i++) {
        const item = { resource: `r${number}-${i}`, requester: 'ann' };
        const { result } = await api.reserve({ ...item, ttlSeconds: 60 });
        if (result.status !== 'ACQUIRED') repeats.push(result.status);
        const released = (await api.unreserve({ ...item, releaseToken: result.releaseToken ?? '' })).result;
        if (released.status !== 'RELINQUISHED') repeats.push(released.status);
        cycles++;
      }
    };
    const workers = Array.from({ length: CALLERS }, worker);
    await expect.poll(() => cycles, { interval: 5 }).toBeGreaterThan(10 * CALLERS);
    await instances.pop()?.stop();
    stopped = cycles;
    await Promise.all(workers);
    expect(repeats.filter((status) => status !== 'ALREADY_HAD' && status !== 'NOT_RESERVED')).toEqual([]);
    expect(repeats.length).toBeLessThanOrEqual(CALLERS);
    expect((await instances[0]?.active())?.body).toEqual([]);
  });
});
