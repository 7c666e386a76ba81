/**
 * The cost of operations for Redis, by its own count: round trips, and commands that scripts run. It does not depend on
 * the machine, so it may not grow unnoticed: a change that makes one cheaper lowers the figure here.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import type { Instance } from '../support/service.ts';
import { startInstance } from '../support/service.ts';

let server: RedisServer;
let holdfast: Instance;
beforeAll(async () => {
  server = await startRedis(() => {});
  holdfast = await startInstance({ redisUrl: server.url });
  await holdfast.register(
    { name: 'pool', capacity: 100_000 },
    { name: 'worn', capacity: 100_000 },
    { name: 'leaf', treePath: 'a>b>c>d' },
    { name: 'blocked', blocks: ['Ink', 'Paper'] },
  );
  await holdfast.setCondition({ resource: 'worn_0', condition: 'out' });
});
afterAll(async () => {
  await holdfast.stop();
  await server.stop();
});

interface Cost {
  /** Calls of scripts, and of other commands of the instance's own. */
  trips: number;
  /** Commands that these ran in Redis, TIME among them. */
  commands: number;
}

let round = 0;
/** A name that nothing else has. */
const fresh = () => `r${round++}`;

/** The cost of an operation: the least of a few, since the instance has something to tell now and then. */
async function costOf(
  operation: () => Promise<unknown>,
  prepare: () => Promise<unknown> = async () => {},
): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i < 6; i++) {
    await prepare();
    await holdfast.redis.config('RESETSTAT');
    await operation();
    const stats = await holdfast.redis.info('commandstats');
    const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(
      ([, name = '', count]) => [name, Number(count)] as const,
    );
    const sum = (wanted: (name: string) => boolean) =>
      calls.filter(([name]) => wanted(name)).reduce((total, [, count]) => total + count, 0);
    const isOurs = (name: string) => name === 'config|resetstat' || name === 'info' || name === 'ping';
    const trips = sum((name) => name === 'evalsha' || name === 'eval' || name === 'fcall');
    costs.push({ trips, commands: sum((name) => !isOurs(name)) - trips });
  }
  return costs.reduce((least, cost) => (cost.trips + cost.commands < least.trips + least.commands ? cost : least));
}

const item = (resource = fresh(), more = {}) => ({ resource, requester: 'q', ...more });
const items = (count: number, more = {}) => Array.from({ length: count }, () => item(fresh(), more));

describe('a reserve or an unreserve costs one round trip', () => {
  let token: string | null | undefined;
  let name = '';
  const hold = async (resource = fresh()) => {
    name = resource;
    token = (await holdfast.reserve(item(resource))).body[0]?.releaseToken;
  };

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>, Cost]>([
    ['of a plain name', () => holdfast.reserve(item()), async () => {}, { trips: 1, commands: 6 }],
    [
      'with a lease',
      () => holdfast.reserve(item(fresh(), { ttlSeconds: 60 })),
      async () => {},
      { trips: 1, commands: 7 },
    ],
    [
      'of what somebody else has',
      () => holdfast.reserve({ resource: name, requester: 'other' }),
      hold,
      { trips: 1, commands: 5 },
    ],
    ['of what one has', () => holdfast.reserve(item(name)), hold, { trips: 1, commands: 5 }],
    [
      'released',
      () => holdfast.unreserve({ ...item(name), releaseToken: token ?? '' }),
      hold,
      { trips: 1, commands: 7 },
    ],
    ['of 100 names', () => holdfast.reserve(...items(100)), async () => {}, { trips: 1, commands: 6 }],
    [
      // The key is looked up before a body of more than 16 KiB is read.
      'of 500 names with leases, besides the look-up of the key',
      () => holdfast.reserve(...items(500, { ttlSeconds: 60 })),
      async () => {},
      { trips: 2, commands: 8 },
    ],
    [
      'of a slot of 100,000',
      () => holdfast.reserve({ resource: 'pool', requester: fresh() }),
      () => holdfast.reset(),
      { trips: 1, commands: 8 },
    ],
    [
      'of a slot of 100,000, of which one is out of service',
      () => holdfast.reserve({ resource: 'worn', requester: fresh() }),
      () => holdfast.reset(),
      { trips: 1, commands: 9 },
    ],
    ['of a leaf at depth 5', () => holdfast.reserve(item('leaf')), () => holdfast.reset(), { trips: 1, commands: 11 }],
    [
      'of what takes two along',
      () => holdfast.reserve(item('blocked')),
      () => holdfast.reset(),
      { trips: 1, commands: 9 },
    ],
    [
      'of 10 in a transaction',
      () =>
        holdfast.transaction('ALL_OR_NONE', ...items(10).map((one) => ({ requestType: 'RESERVE' as const, ...one }))),
      async () => {},
      { trips: 1, commands: 7 },
    ],
    [
      'renewed',
      () => holdfast.renew({ ...item(name), releaseToken: token ?? '', ttlSeconds: 60 }),
      hold,
      { trips: 1, commands: 7 },
    ],
  ])('%s', async (_, operation, prepare, expected) => {
    expect(await costOf(operation, prepare)).toEqual(expected);
  });
});

describe('a read costs one round trip: key, quota and all', () => {
  beforeAll(() => holdfast.reset());

  const reads = (path: string) => async () => {
    expect((await holdfast.request('GET', `/api/v1${path}`)).status).toBe(200);
  };

  test.each<[string, () => Promise<unknown>, Cost]>([
    ['check of one', () => holdfast.check({ resource: 'x' }), { trips: 1, commands: 6 }],
    ['check of 100', () => holdfast.check(...items(100)), { trips: 1, commands: 7 }],
    ['available', () => holdfast.available('x'), { trips: 1, commands: 6 }],
    ['a page of activeReservations', () => holdfast.active(), { trips: 1, commands: 7 }],
    ['a page of who waits', reads('/Reservation/waiting'), { trips: 1, commands: 5 }],
    ['a page of sessions', reads('/Session'), { trips: 1, commands: 4 }],
    ['a page of definitions', reads('/Resource/definitions'), { trips: 1, commands: 7 }],
    ['a page of the tree', reads('/Resource/tree'), { trips: 1, commands: 34 }],
    [
      'a dry run, besides the script',
      () => holdfast.request('POST', '/api/v1/Reservation/reserve?dryRun=true', [item()]),
      { trips: 2, commands: 7 },
    ],
  ])('%s', async (_, operation, expected) => {
    expect(await costOf(operation)).toEqual(expected);
  });
});
