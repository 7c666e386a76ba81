/**
 * The cap of reservations at the same time (docs/specification.md#limits): exact, whatever happens at once.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveItem, TransactionItem } from '../../src/contract/reservations.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const NOW = Date.parse('2050-06-01T12:00:00Z');
const TIERS = JSON.stringify({ Starter: { reservations: 20, writesPerMinute: null }, Pro: { reservations: 20 } });
const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Starter' as const }];

let instances: [Instance, Instance, Instance];
let one: Instance;
beforeAll(async () => {
  const start = () => startInstance({ keys, env: { TIERS }, includes: { 'frame/now': STEERED_CLOCK } });
  instances = [await start(), await start(), await start()];
  one = instances[0];
});
afterAll(() => Promise.all(instances.map((instance) => instance.stop())));
beforeEach(async () => {
  await setClock(one.redis, one.tenant, NOW);
  await one.reset();
});

const items = (count: number, more: Partial<ReserveItem> = {}): ReserveItem[] =>
  Array.from({ length: count }, (_, i) => ({ resource: `r${i}`, requester: 'r', ...more }));
const held = async () => (await one.active()).body.length;

describe('the cap', () => {
  test('lets exactly so many through, a batch that would exceed it refused whole', async () => {
    expect((await one.reserve(...items(19))).status).toBe(200);
    expect((await one.reserve({ resource: 'x', requester: 'r' }, { resource: 'y', requester: 'r' })).status).toBe(429);
    expect(await held()).toBe(19);
    expect((await one.reserve({ resource: 'x', requester: 'r' })).status).toBe(200);
    expect((await one.reserve({ resource: 'y', requester: 'r' })).status).toBe(429);
  });

  test('counts a reservation of several slots as that many', async () => {
    await one.register({ name: 'pool', capacity: 30 });
    const several = (count: number, requester = 'r') => one.reserve({ resource: 'pool', requester, count });
    expect((await several(21)).status).toBe(429);
    const { body } = await several(15);
    expect((await one.reserve(...items(6))).status).toBe(429);
    expect((await one.reserve(...items(5))).status).toBe(200);
    // Nothing new is acquired.
    expect((await several(15)).body).toMatchObject([{ status: 'ALREADY_HAD' }]);
    await one.unreserve(...body);
    expect((await several(15, 's')).status).toBe(200);
    expect((await one.reset()).body).toEqual({ cleared: 6 });
    expect((await several(20)).status).toBe(200);
  });

  test('holds under 64 callers that reserve, release and let expire at three instances', async () => {
    let most = 0;
    let clock = NOW;
    const callers = Array.from({ length: 64 }, async (_, n) => {
      for (let i = 0; i < 6; i++) {
        const instance = instances[(n + i) % 3] ?? one;
        const more = i % 3 === 0 ? { ttlSeconds: 1 } : {};
        const batch = items(1 + ((n + i) % 3)).map(({ resource }) => ({
          resource: `${n}-${i}-${resource}`,
          requester: 'r',
          ...more,
        }));
        const { status, body } = await instance.reserve(...batch);
        if (i % 5 === 0) {
          clock += 100;
          await setClock(one.redis, one.tenant, clock);
        }
        expect([200, 429]).toContain(status);
        if (i % 4 === 0) most = Math.max(most, await held());
        if (status === 200) await instance.unreserve(...body);
      }
    });
    await Promise.all(callers);
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(20);
    await setClock(one.redis, one.tenant, clock + 10_000);
    expect(await held()).toBe(0);
    expect((await one.reserve(...items(20))).status).toBe(200);
    expect((await one.reserve({ resource: 'x', requester: 'r' })).status).toBe(429);
  });

  test('counts reservations, not the holds they drag along', async () => {
    await one.register({ name: 'wide', blocks: Array.from({ length: 30 }, (_, i) => `along ${i}`) });
    expect((await one.reserve({ resource: 'wide', requester: 'r' }, ...items(19))).status).toBe(200);
  });

  test('what acquires nothing new is answered at it as below it', async () => {
    await one.reserve(...items(20));
    const { status, body } = await one.reserve(
      { resource: 'r0', requester: 'r' },
      { resource: 'r1', requester: 'other' },
    );
    expect([status, ...body.map(({ status }) => status)]).toEqual([200, 'ALREADY_HAD', 'ALREADY_HELD']);
  });

  test('is free again after expiry, reset and release', async () => {
    await one.reserve(...items(20, { ttlSeconds: 10 }));
    await setClock(one.redis, one.tenant, NOW + 10_000);
    const { status, body } = await one.reserve(...items(20));
    expect(status).toBe(200);
    await one.unreserve(...body);
    expect((await one.reserve(...items(20))).status).toBe(200);
    await one.reset();
    expect((await one.reserve(...items(20))).status).toBe(200);
  });

  test('of a transaction: what it gives back makes room for what it takes; refused, it changes nothing', async () => {
    const { body } = await one.reserve(...items(20));
    const [first] = body;
    if (first === undefined) throw new Error('nothing held');
    const giveBack: TransactionItem = { requestType: 'UNRESERVE', ...first };
    const take = (resource: string): TransactionItem => ({ requestType: 'RESERVE', resource, requester: 'r' });
    const refused = await one.transaction('AS_MANY_AS_POSSIBLE', giveBack, take('x'), take('y'));
    expect(refused).toMatchObject({ status: 429, body: { limitType: 'ConcurrentReservations' } });
    expect(await held()).toBe(20);
    const applied = await one.transaction('ALL_OR_NONE', giveBack, take('x'));
    expect(applied).toMatchObject({ status: 200, body: { status: 'APPLIED' } });
    // One that is rolled back took nothing, so it is not over the cap.
    const rolledBack = await one.transaction('ALL_OR_NONE', take('y'), { ...take('r1'), requester: 'other' });
    expect(rolledBack).toMatchObject({ status: 200, body: { status: 'ROLLED_BACK' } });
  });

  test('says how long to wait: until the next expiry, 1 to 60 seconds', async () => {
    await one.reserve(...items(19), { resource: 'lease', requester: 'r', ttlSeconds: 30 });
    await setClock(one.redis, one.tenant, NOW + 500);
    const { headers, body } = await one.reserve({ resource: 'x', requester: 'r' });
    expect(headers.get('retry-after')).toBe('30');
    expect(body).toEqual({
      error: 'The limit of tier Starter is reached: 20 ConcurrentReservations.',
      code: 'LIMIT_REACHED',
      tier: 'Starter',
      limit: 20,
      retryAfter: 30,
      upgradeRequired: false, // Pro allows as many here
      limitType: 'ConcurrentReservations',
    });
    await one.reset();
    await one.reserve(...items(20));
    expect((await one.reserve({ resource: 'x', requester: 'r' })).headers.get('retry-after')).toBe('60');
  });

  test('tells subscribers, and of nothing that was not done', async () => {
    await one.reserve(...items(18), { resource: 'lease', requester: 'r', ttlSeconds: 10 });
    const subscriber = await watch(one);
    await setClock(one.redis, one.tenant, NOW + 10_000);
    await one.reserve(
      { resource: 'a', requester: 'r' },
      { resource: 'b', requester: 'r' },
      { resource: 'c', requester: 'r' },
    );
    await one.reserve({ resource: 'end', requester: 'r' });
    expect((await subscriber.count(4)).map(({ type, resource }) => [type, resource])).toEqual([
      ['RESERVATION_EXPIRED', 'lease'],
      ['UNRESERVED', 'lease'],
      ['TIER_LIMIT_REACHED', null],
      ['RESERVED', 'end'],
    ]);
    expect(subscriber.events[2]).toMatchObject({
      requestType: 'RESERVE',
      limitType: 'ConcurrentReservations',
      limit: 20,
    });
    subscriber.close();
  });
});
