/**
 * Each of the verbs where Redis refuses something: memory, all writes, or functions
 * (docs/operations/redis.md#functions). What is refused changes nothing, and what is not does all that it does
 * otherwise.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { STEERED_CLOCK } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { EXAMPLE_CALLS, type ExampleCall } from '../support/exampleCalls.ts';
import { restore, storedIn } from '../support/hotRecord.ts';
import { type Furnished, furnished, type Outcome, outcomesOf, replyOf } from '../support/outcomes.ts';
import { makeTenant } from '../support/service.ts';

/** Verbs that take memory. */
const GROWING = [
  'beginSession',
  'book',
  'changeBooking',
  'copyDefinitions',
  'issueToken',
  'openStream',
  'probe',
  'refusals',
  'register',
  'reserve',
  'restoreBookings',
  'restoreOut',
  'setCondition',
  'transaction',
];
/** Verbs that never write. */
const READING = ['authenticate', 'bookingChanges', 'labelsInUse', 'outOfService', 'readHistory'];

let node: RedisNode;
let redis: Redis;
/** Tenants with a queue and without, whose requests for plain names go the plain way. */
let tenants: readonly Furnished[];
/** The replies of the calls on each, as functions of a Redis that refuses nothing. */
let expected: readonly (readonly Outcome[])[];
beforeAll(async () => {
  node = await startRedisNode(() => {}, await freePort());
  redis = new Redis(node.port);
  const running = await Promise.all([start(), start()]);
  tenants = await Promise.all(running.map((one, i) => furnished(one, redis, i === 0)));
  expected = await Promise.all(tenants.map(outcomesOf));
});
afterAll(async () => {
  for (const { running } of tenants) running.stop();
  redis.disconnect();
  await node.stop();
});

const start = (tenant = makeTenant(), user = '') =>
  startEngine(tenant, `redis://${user}127.0.0.1:${node.port}`, { 'frame/now': STEERED_CLOCK });

/** The same tenant, by a user who may not use functions: all verbs are scripts. */
async function withoutFunctions(tenant: Furnished): Promise<Furnished> {
  await redis.call('ACL', 'SETUSER', 'restricted', 'on', '>secret', '~*', '&*', '+@all', '-fcall', '-function');
  const running = await start(tenant.running.credential.tenant, 'restricted:secret@');
  return { ...tenant, running: { ...running, credential: tenant.running.credential } };
}

/** Makes a call on the furnished tenant while Redis has other settings. */
async function outcomeWith(
  { running, state, keys }: Furnished,
  one: ExampleCall,
  setting: string,
  [during, else_]: readonly [string, string],
): Promise<Outcome> {
  await restore(redis, state);
  await redis.config('SET', setting, during);
  const reply = await replyOf(running, one);
  await redis.config('SET', setting, else_);
  return { reply, stored: await storedIn(redis, keys) };
}

const full = (tenant: Furnished, one: ExampleCall) => outcomeWith(tenant, one, 'maxmemory', ['1mb', '0']);
const withoutWrites = (tenant: Furnished, one: ExampleCall) =>
  outcomeWith(tenant, one, 'min-replicas-to-write', ['1', '0']);

const everyCall = EXAMPLE_CALLS.map((one, i) => ({ ...one, i }));

describe('as functions', () => {
  test.each(everyCall.filter(({ verb }) => GROWING.includes(verb)))(
    '$title is refused while Redis is full',
    async (one) => {
      for (const tenant of tenants)
        expect(await full(tenant, one)).toEqual({ reply: expect.stringContaining('OOM'), stored: tenant.stored });
    },
  );

  test.each(everyCall.filter(({ verb }) => !GROWING.includes(verb)))(
    '$title works while Redis is full',
    async (one) => {
      for (const [i, tenant] of tenants.entries()) expect(await full(tenant, one)).toEqual(expected[i]?.[one.i]);
    },
  );

  test.each(everyCall)('$title changes nothing while Redis refuses all writes', async (one) => {
    for (const [i, tenant] of tenants.entries()) {
      const refused = { reply: expect.stringContaining('NOREPLICAS'), stored: tenant.stored };
      expect(await withoutWrites(tenant, one)).toEqual(READING.includes(one.verb) ? expected[i]?.[one.i] : refused);
    }
  });
});

describe('as scripts, for a user who may not use functions', () => {
  let restricted: readonly Furnished[];
  beforeAll(async () => {
    restricted = await Promise.all(tenants.map(withoutFunctions));
  });
  afterAll(() => {
    for (const { running } of restricted) running.stop();
  });

  test('every verb does what it does as a function', async () => {
    for (const [i, tenant] of restricted.entries()) {
      const outcomes = await outcomesOf(tenant);
      for (const [nth, { title }] of EXAMPLE_CALLS.entries()) expect(outcomes[nth], title).toEqual(expected[i]?.[nth]);
    }
  });

  test.each(everyCall)('$title does all or nothing while Redis is full', async (one) => {
    for (const [i, tenant] of restricted.entries()) {
      const outcome = await full(tenant, one);
      if (!outcome.reply.includes('OOM')) expect(outcome).toEqual(expected[i]?.[one.i]);
      else expect(outcome.stored).toEqual(tenant.stored);
    }
  });
});
