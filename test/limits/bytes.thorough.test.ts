/**
 * The bytes that a tenant may keep in Redis (docs/specification.md#bytes-of-a-tenant).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { keysOfTenant } from '../../src/redis/keys.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { hotOf } from '../support/hotRecord.ts';
import { poll } from '../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { beat, begin } from '../support/sessions.ts';
import { usage } from '../support/verbs.ts';
import { watch } from '../support/watch.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const NOW = Date.parse('2050-06-01T12:00:00Z');
const LIMIT = 512 * 1024;
const UNBOUNDED = { writesPerMinute: null, readsPerMinute: null, reservations: null, definitions: null };
const TIERS = JSON.stringify({ Starter: { ...UNBOUNDED, bytes: LIMIT } });
/** Not counted: what is gone in seconds, or has a small bound of its own. */
const NOT_COUNTED = /:answer:|:clock$|:(used|activity|refusals:\d+|streams|taken|takenAt)$/;

let one: Instance;
let now = NOW;
beforeAll(async () => {
  const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Starter' as const }];
  one = await startInstance({ keys, env: { TIERS }, includes: { 'frame/now': STEERED_CLOCK } });
  await setClock(one.redis, one.tenant, now);
});
afterAll(() => one.stop());

/** A measurement counts for a second. */
const aSecondLater = () => later(1000);
const later = (ms: number) => {
  now += ms;
  return setClock(one.redis, one.tenant, now);
};
const note = '🎉'.repeat(500);
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const reserve = (prefix: string, count = 50) =>
  one.reserve(...names(prefix, count).map((resource) => ({ resource, requester: 'r', note, ttlSeconds: 600 })));

/** Reserves with the longest notes until that is refused. */
async function fill(prefix: string) {
  const held = [];
  for (let i = 0; ; i++) {
    const { status, body } = await reserve(`${prefix}${i}-`);
    if (status !== 200) return { held, refused: { status, body } };
    held.push(...body);
  }
}

describe('at the limit of bytes', () => {
  beforeEach(async () => {
    await one.reset();
    await aSecondLater();
  });

  test('new reservations, sessions, tickets and definitions are refused with 429 StoredBytes, and streams get an event', async () => {
    await one.register({ name: 'known' });
    const subscriber = await watch(one);
    const { refused } = await fill('a');
    const limitReached = {
      status: 429,
      body: { code: 'LIMIT_REACHED', limitType: 'StoredBytes', limit: LIMIT, tier: 'Starter', upgradeRequired: true },
    };
    expect(refused).toMatchObject(limitReached);
    expect(await one.reserve({ resource: 'b', requester: 'r' })).toMatchObject(limitReached);
    expect(await one.reserve({ resource: 'a0-0', requester: 's', ttlSeconds: 60, waitSeconds: 60 })).toMatchObject(
      limitReached,
    );
    expect(
      await one.transaction('ALL_OR_NONE', { requestType: 'RESERVE', resource: 'b', requester: 'r' }),
    ).toMatchObject(limitReached);
    expect(await one.request('POST', '/api/v1/Session', { requester: 'r', ttlSeconds: 60 })).toMatchObject(
      limitReached,
    );
    expect(await one.register({ name: 'new' })).toMatchObject(limitReached);
    expect(await one.register({ name: 'known', blocks: names('blocked', 64) })).toMatchObject(limitReached);
    const events = subscriber.events.filter(({ type }) => type === 'TIER_LIMIT_REACHED');
    expect(events[0]).toMatchObject({ limitType: 'StoredBytes', limit: LIMIT });
    subscriber.close();
  });

  test('releases, renewals, repeats and deletions work, and make room', async () => {
    await one.register({ name: 'known' });
    const session = await begin(one, 'r', 600);
    const { held } = await fill('b');
    const renewed = held.slice(0, 5).map(({ resource, requester, releaseToken }) => ({
      resource,
      requester,
      releaseToken,
      ttlSeconds: 900,
    }));
    expect(await one.renew(...renewed)).toMatchObject({
      status: 200,
      body: [{ status: 'RENEWED' }, {}, {}, {}, {}],
    });
    expect(await beat(one, session)).toMatchObject({ expiresAt: expect.anything() });
    expect(await one.reserve({ resource: 'b0-0', requester: 'r' })).toMatchObject({
      body: [{ status: 'ALREADY_HAD' }],
    });
    expect(await one.delete('known')).toMatchObject({ status: 200 });
    expect((await one.unreserve(...held.slice(0, 250))).status).toBe(200);
    await aSecondLater();
    expect((await reserve('c')).status).toBe(200);
  });

  test('a transaction that releases more than it reserves works', async () => {
    const { held } = await fill('d');
    const release = held.slice(0, 2).map(({ resource, requester, releaseToken }) => ({
      requestType: 'UNRESERVE' as const,
      resource,
      requester,
      releaseToken,
    }));
    const take = { requestType: 'RESERVE' as const, resource: 'e', requester: 'r' };
    expect(await one.transaction('ALL_OR_NONE', ...release, take)).toMatchObject({
      status: 200,
      body: { status: 'APPLIED' },
    });
  });

  test('a reset makes room at once', async () => {
    await fill('f');
    await one.reset();
    expect((await reserve('g')).status).toBe(200);
  });

  test('expiry makes room', async () => {
    await fill('h');
    await later(601_000);
    expect((await reserve('i')).status).toBe(200);
  });

  test('the oldest history goes, and is never why something is refused', async () => {
    for (let i = 0; i < 60; i++) {
      const { status, body } = await reserve(`j${i}-`, 20);
      expect(status).toBe(200);
      await one.unreserve(...body);
      await aSecondLater();
    }
    const history = Number(await one.redis.call('MEMORY', 'USAGE', `{${one.tenant}}:history`, 'SAMPLES', 0));
    expect(history).toBeLessThan(LIMIT);
  });
});

describe('what a tenant keeps', () => {
  let big: Instance;
  let running: RunningEngine;
  let clock = NOW;
  beforeAll(async () => {
    const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Enterprise' as const }];
    big = await startInstance({ keys, env: { TIERS }, includes: { 'frame/now': STEERED_CLOCK } });
    running = await startEngine();
    await setClock(big.redis, big.tenant, clock);
    await big.reserve({ resource: 'first', requester: 'r' });
  });
  afterAll(async () => {
    running.stop();
    await big.stop();
  });

  /** The size of the tenant's keys by Redis, without samples. */
  async function stored(): Promise<number> {
    const keys = (await big.redis.keys(keysOfTenant(big.tenant))).filter((key) => !NOT_COUNTED.test(key));
    const sizes = await Promise.all(keys.map((key) => big.redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0)));
    return sizes.reduce<number>((sum, size) => sum + Number(size ?? 0), 0);
  }
  const reserveAll = (items: readonly ReserveItem[]) => big.reserve(...items);
  const plain = (prefix: string, count: number) =>
    names(prefix, count).map((resource) => ({ resource, requester: 'r' }));
  const labels = { os: 'linux', size: 'x'.repeat(40) };

  const KINDS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['plain reservations', () => reserveAll(plain('p', 500).map((one) => ({ ...one, ttlSeconds: 600 })))],
    [
      'longest names and notes',
      () => reserveAll(names('', 60).map((i) => ({ resource: 'é'.repeat(120) + i, requester: 'ü'.repeat(100), note }))),
    ],
    [
      'definitions with 64 blockers and labels',
      () => big.register(...names('wide', 60).map((name) => ({ name, labels, blocks: names(`${name}-blocks-`, 64) }))),
    ],
    ['reservations of these', () => reserveAll(plain('wide', 5))],
    [
      'trees of depth 16',
      () => big.register(...names('leaf', 100).map((name) => ({ name, treePath: names('level', 15).join('>') }))),
    ],
    ['a reservation of a leaf', () => reserveAll(plain('leaf', 1))],
    [
      'a pool, and 300 of its slots',
      async () => {
        await big.register({ name: 'pool', capacity: 1000 });
        await reserveAll(names('r', 300).map((requester) => ({ resource: 'pool', requester })));
      },
    ],
    [
      'tickets',
      () => {
        const wish = { resource: 'p1', ttlSeconds: 60, waitSeconds: 600, note };
        return poll(
          big,
          names('w', 60).map((requester) => ({ ...wish, requester })),
          0,
        ).response;
      },
    ],
    ['sessions', () => Promise.all(names('s', 60).map((requester) => begin(big, requester, 600)))],
    ['history', async () => big.unreserve(...(await reserveAll(plain('x', 400))).body)],
    [
      'remembered replies',
      () =>
        Promise.all(
          names('y', 40).map((resource) =>
            big.request('POST', '/api/v1/Reservation/reserve', [{ resource, requester: 'r', note }], {
              'Idempotency-Key': resource,
            }),
          ),
        ),
    ],
  ];

  test.each(KINDS)('$0: are measured well, and counted as that much at least until then', async (title, make) => {
    const before = await stored();
    await make();
    const after = await stored();
    expect(after).toBeGreaterThan(before);
    const { bytes: atMost } = await hotOf(big.redis, big.tenant);
    expect(atMost).toBeGreaterThan(after);
    clock += 1000;
    await setClock(big.redis, big.tenant, clock);
    const { bytes } = await usage(running.engine, {
      tenant: big.tenant,
      credentialKey: digestOf(big.key),
      kind: 'key',
    });
    expect(Math.abs(bytes / (await stored()) - 1)).toBeLessThan(0.05);
    if (process.env.HOG === 'full')
      process.stdout.write(`${title}: ${after} stored, ${atMost} at most, ${bytes} measured\n`);
  });
});
