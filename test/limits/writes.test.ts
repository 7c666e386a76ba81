/**
 * The quota of writes (docs/specification.md#limits), at three instances at once.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { changeHot, UNUSED } from '../support/hotRecord.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const TIERS = JSON.stringify({
  Free: { writesPerMinute: 10, writesPerDay: 25 },
  Starter: { writesPerMinute: 20 },
  Pro: { writesPerMinute: 20 },
});

const free = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
let instances: [Instance, Instance, Instance];
let one: Instance;
const at = (ms: number) => setClock(one.redis, one.tenant, ms);
beforeAll(async () => {
  const start = () => startInstance({ keys: [free], env: { TIERS }, includes: { 'frame/now': STEERED_CLOCK } });
  instances = [await start(), await start(), await start()];
  one = instances[0];
});
afterAll(() => Promise.all(instances.map((instance) => instance.stop())));
beforeEach(async () => {
  await one.redis.hdel(`{${one.tenant}}:tenant`, 'told:OperationsPerMinute');
  await changeHot(one.redis, one.tenant, UNUSED);
  await at(NOW);
});

let fresh = 0;
const items = (count: number): Pick<ReserveItem, 'resource' | 'requester'>[] =>
  Array.from({ length: count }, () => ({ resource: `r${fresh++}`, requester: 'r' }));
const reserve = async (count = 1, instance = one) => (await instance.reserve(...items(count))).status;
const statuses = (all: number[]) => ({
  ok: all.filter((s) => s === 200).length,
  refused: all.filter((s) => s === 429).length,
});

describe('at the limit of a minute exactly the allowed number gets through, from all instances together', () => {
  test('of single items', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => reserve(1, instances[i % 3])));
    expect(statuses(all)).toEqual({ ok: 10, refused: 20 });
  });

  test('of batches that straddle it: one that does not fit is refused whole and costs nothing', async () => {
    const all = await Promise.all(Array.from({ length: 9 }, (_, i) => reserve(4, instances[i % 3])));
    expect(statuses(all)).toEqual({ ok: 2, refused: 7 });
    expect(await reserve(2)).toBe(200);
    expect(await reserve(1)).toBe(429);
  });
});

describe('a window', () => {
  test('lasts a minute from its first request, then another begins', async () => {
    expect(await reserve(10)).toBe(200);
    await at(NOW + 59_999);
    expect(await reserve()).toBe(429);
    await at(NOW + 60_000);
    expect(await reserve(10)).toBe(200);
    expect(await reserve()).toBe(429);
  });

  test('of the day ends at midnight UTC', async () => {
    const midnight = Date.parse('2026-06-02T00:00:00Z');
    for (const [i, count] of [10, 10, 5].entries()) {
      await at(midnight - 200_000 + i * 60_000);
      expect(await reserve(count)).toBe(200);
    }
    await at(midnight - 10_500);
    const { status, headers, body } = await one.reserve(...items(1));
    expect([status, headers.get('retry-after')]).toEqual([429, '11']);
    expect(body).toMatchObject({ limitType: 'OperationsPerDay', limit: 25, retryAfter: 11, upgradeRequired: true });
    await at(midnight);
    // Plain names are charged by the short way, others by the general one.
    const asked = items(1).map((item) => ({ requestType: 'RESERVE' as const, ...item }));
    expect((await one.transaction('ALL_OR_NONE', ...asked)).status).toBe(200);
    expect(await reserve(9)).toBe(200);
  });
});

describe('what a request costs', () => {
  const cost = async (work: () => Promise<{ headers: Headers }>) => {
    await changeHot(one.redis, one.tenant, UNUSED);
    const { headers } = await work();
    const [, left] = /"OperationsPerMinute";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    return 10 - Number(left ?? 10);
  };

  test('one an item: reserve, unreserve, renew, transaction, register; one at least: delete, reset', async () => {
    const two = items(2);
    const [a, b] = two;
    if (a === undefined || b === undefined) throw new Error('no items');
    expect(await cost(() => one.reserve(...two))).toBe(2);
    expect(await cost(() => one.reserve(...two))).toBe(2); // ALREADY_HAD
    expect(await cost(() => one.unreserve(a, b))).toBe(2); // refused one by one, carried out all the same
    expect(await cost(() => one.renew({ ...a, ttlSeconds: 1 }))).toBe(1);
    expect(
      await cost(() => one.transaction('FIRST', { requestType: 'RESERVE', ...a }, { requestType: 'RESERVE', ...b })),
    ).toBe(2);
    expect(await cost(() => one.register({ name: 'x' }, { name: 'y' }, { name: 'z', treePath: 'up' }))).toBe(3);
    expect(await cost(() => one.delete('x'))).toBe(1);
    expect(await cost(() => one.reset())).toBe(1);
  });

  test('reads cost no operation', async () => {
    await reserve(10);
    expect((await one.check({ resource: 'x' })).status).toBe(200);
    expect((await one.available('x')).status).toBe(200);
  });

  test('what is malformed costs nothing; what is refused for another reason costs what it would have', async () => {
    for (let i = 0; i < 12; i++)
      expect((await one.request('POST', '/api/v1/Reservation/reserve', [{}])).status).toBe(400);
    expect(await reserve(8)).toBe(200);
    expect((await one.delete('never registered')).status).toBe(404);
    expect((await one.register({ name: 'p', treePath: 'q' }, { name: 'q', treePath: 'p' })).status).toBe(429);
    expect((await one.delete('never registered')).status).toBe(404);
    expect(await reserve(1)).toBe(429);
  });
});

describe('the answer', () => {
  test('to what is refused: 429 with the body and the Retry-After of the interface', async () => {
    await reserve(10);
    await at(NOW + 12_300);
    const { status, headers, body } = await one.reserve(...items(1));
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('48');
    expect(body).toEqual({
      error: 'The limit of tier Free is reached: 10 OperationsPerMinute.',
      code: 'LIMIT_REACHED',
      tier: 'Free',
      limit: 10,
      retryAfter: 48,
      upgradeRequired: true,
      limitType: 'OperationsPerMinute',
    });
  });

  test('to a batch that is larger than the whole window: that it can never fit', async () => {
    const { status, body } = await one.reserve(...items(11));
    expect(status).toBe(429);
    expect(body).toMatchObject({
      error: 'A request of 11 can never fit in tier Free: its limit is 10 OperationsPerMinute.',
    });
  });

  test('to what succeeds: RateLimit and RateLimit-Policy', async () => {
    await reserve(3);
    await at(NOW + 20_000);
    const { headers } = await one.reserve(...items(1));
    expect(headers.get('ratelimit-policy')).toBe('"OperationsPerMinute";q=10;w=60, "OperationsPerDay";q=25;w=86400');
    expect(headers.get('ratelimit')).toBe('"OperationsPerMinute";r=6;t=40, "OperationsPerDay";r=21;t=43180');
  });

  test('upgradeRequired is true exactly where the next tier would raise the limit', async () => {
    for (const [tier, upgradeRequired] of [
      ['Starter', false],
      ['Pro', true],
      ['Enterprise', false],
    ] as const) {
      const key = { ...makeConfiguredKey(makeTenant()), tier };
      const instance = await startInstance({ keys: [key], env: { TIERS, MAX_BATCH: '2000' } });
      const limit = tier === 'Enterprise' ? 50_000 : 20;
      await changeHot(instance.redis, instance.tenant, { minuteStart: Date.now(), minute: limit });
      const { status, body } = await instance.reserve(...items(1));
      expect([tier, status]).toEqual([tier, 429]);
      expect(body).toMatchObject({ tier, limit, upgradeRequired });
      await instance.stop();
    }
  });
});

describe('TIER_LIMIT_REACHED', () => {
  test('of the write, at most once a second', async () => {
    const subscriber = await watch(one);
    await reserve(10);
    for (let i = 0; i < 3; i++) await reserve();
    await at(NOW + 1000);
    await one.transaction('FIRST', { requestType: 'RESERVE', resource: 'x', requester: 'r' });
    const told = (await subscriber.count(12)).slice(10);
    expect(told).toMatchObject([
      { type: 'TIER_LIMIT_REACHED', requestType: 'RESERVE', limitType: 'OperationsPerMinute', limit: 10 },
      { type: 'TIER_LIMIT_REACHED', requestType: 'TRANSACTION', limitType: 'OperationsPerMinute', limit: 10 },
    ]);
    subscriber.close();
  });
});

describe('a change of tier', () => {
  test('takes effect on the next request, in windows of its own', async () => {
    await reserve(10);
    expect(await reserve()).toBe(429);
    const { engine, stop } = await startEngine();
    const record = configuredTenants([{ ...free, tier: 'Pro' }]).get(free.tenant);
    if (record) await loadTenant(engine.redis, record);
    expect(await reserve(20)).toBe(200);
    expect(await reserve()).toBe(429);
    stop();
  });
});
