/**
 * No script keeps Redis busy for long while thousands wait for slots of a pool in all conditions: half of it dirty, a
 * part out of service, by name, by count and together with others (docs/specification.md#waiting-for-a-condition).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../scripts/redisServer.ts';
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import type { Condition } from '../../../src/domain/conditions.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import * as engineReserve from '../../../src/engine/reservations/reserve.ts';
import * as engineTransaction from '../../../src/engine/reservations/transaction.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { check, reserve, unreserve } from '../../support/verbs.ts';
import { ScriptTimes } from '../hog/scriptTimes.ts';

/** On a quiet core; a busy one gets half as much again. */
const MAX_MS = 15;
const CAPACITY = 1000;
const ATTENDED = { instance: 'hog', pollMs: 30_000, isContinuation: false };
const wait = { waitSeconds: 86_400 };

const range = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

type Wanted = Pick<ReserveItem, 'resource' | 'requester' | 'count' | 'condition'>;

/** Issues tickets, so many a call. */
async function issue(count: number, make: (i: number) => Wanted, many = 100): Promise<void> {
  for (let i = 0; i < count; i += many)
    await engineReserve.reserve(
      running.engine,
      running.credential,
      range(Math.min(many, count - i), (j) => ({ ...make(i + j), ttlSeconds: 60, ...wait, claimSeconds: 600 })),
      ATTENDED,
    );
}

/** Sets the condition of the slots of the pool in a range. */
const become = (condition: Condition, from: number, count: number) =>
  setCondition(
    running.engine,
    running.credential,
    range(count, (i) => ({ resource: `phones_${from + i}`, condition })),
  );

/** What cleaners hold. */
const cleaning: { resource: string; requester: string; releaseToken: string | null }[] = [];

let server: RedisServer;
let running: RunningEngine;
let times: ScriptTimes;

beforeAll(async () => {
  server = await startRedis(() => {});
  running = await startEngine(undefined, server.url);
  times = await ScriptTimes.of(running.engine.redis);
  const { engine, credential } = running;
  const phones = { name: 'phones', capacity: CAPACITY, blocks: [], treePath: null };
  await register(engine, credential, [phones, { ...phones, name: 'lamps', capacity: 50 }], NOW);
  await become('dirty', 0, 500);
  await become('out', 500, 100);
  for (let i = 0; i < 400; i += 100)
    await reserve(
      engine,
      credential,
      range(100, (j) => ({ resource: 'phones', requester: `user${i + j}` })),
    );
  for (let i = 0; i < 500; i += 100)
    cleaning.push(
      ...(await reserve(
        engine,
        credential,
        range(100, (j) => ({ resource: 'phones', requester: `cleaner${i + j}`, condition: 'dirty' as const })),
      )),
    );
  await issue(1500, (i) => ({ resource: 'phones', requester: `u${i}` }));
  await issue(100, (i) => ({ resource: 'phones', requester: `c${i}`, count: 200 }), 2);
  await issue(1000, (i) => ({ resource: `phones_${i}`, requester: `n${i}` }));
  await issue(1500, (i) => ({ resource: 'phones', requester: `d${i}`, condition: 'dirty' }));
  await issue(500, (i) => ({ resource: `phones_${i}`, requester: `e${i}`, condition: 'out' }));
  // They need more than there are, and wait for other things as well.
  for (let i = 0; i < 10; i++)
    await engineTransaction.transaction(
      engine,
      credential,
      'ALL_OR_NONE',
      [
        { requestType: 'RESERVE', resource: `phones_${500 + (i % 100)}`, requester: `t${i}`, ttlSeconds: 60 },
        { requestType: 'RESERVE', resource: 'lamps', count: 10, requester: `t${i}`, ttlSeconds: 60 },
      ],
      { wait: { ...wait, priority: 1 }, call: ATTENDED },
    );
}, 120_000);
afterAll(async () => {
  running.stop();
  await server.stop();
});

const WORST: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a try of a user', () => reserve(running.engine, running.credential, [{ resource: 'phones', requester: 'x' }])],
  [
    'tries of 500 users and cleaners',
    () =>
      reserve(
        running.engine,
        running.credential,
        range(500, (i) => ({
          resource: i % 3 ? 'phones' : `phones_${i}`,
          requester: `x${i}`,
          ...(i % 2 ? { condition: 'dirty' as const } : {}),
        })),
      ),
  ],
  ['a cleaner more', () => issue(1, () => ({ resource: 'phones', requester: 'more', condition: 'dirty' }))],
  [
    'check of 500',
    () =>
      check(
        running.engine,
        running.credential,
        range(500, (i) => ({ resource: `phones_${i}` })),
      ),
  ],
  ['a slot back in service', () => become('ready', 599, 1)],
  ['a slot out of service', () => become('out', 599, 1)],
  ['100 slots back in service', () => become('ready', 500, 100)],
  ['500 slots out of service', () => become('out', 0, 500)],
  ['500 slots dirty', () => become('dirty', 0, 500)],
  ['500 slots ready', () => become('ready', 500, 500)],
];

describe('no request keeps Redis busy for long, however many wait for a condition', () => {
  test('release of 500 clean slots', async () => {
    const clean = () =>
      unreserve(
        running.engine,
        running.credential,
        cleaning.map(({ resource, requester, releaseToken }) => ({
          resource,
          requester,
          releaseToken: releaseToken ?? '',
          condition: 'ready' as const,
        })),
      );
    expect(await times.longest('release of 500 clean slots', clean)).toBeLessThan(MAX_MS);
  });

  test.each(WORST)('%s', async (title, operation) => {
    expect(await times.longest(title, operation)).toBeLessThan(MAX_MS);
  });
});
