/**
 * Histories: steps that are carried out by the engine and by the model alike, compared after each. A step is plain
 * JSON, so that a failing history can be kept and run again.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { TransactionItem } from '../../src/contract/reservations.ts';
import { changeInRedis } from '../../src/definitions/changeInRedis.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import { type Mode, TRANSACTION_METHODS, type TransactionMethod } from '../../src/domain/reservations.ts';
import { available } from '../../src/engine/definitions/available.ts';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { active } from '../../src/engine/reservations/active.ts';
import { check } from '../../src/engine/reservations/check.ts';
import { setClock } from '../support/clock.ts';
import type { RunningEngine } from '../support/engine.ts';
import { all, allDefinitions, sorted, wholeTree } from '../support/listed.ts';
import { renew, reserve, reset, transaction, unreserve } from '../support/verbs.ts';
import { Model } from './model.ts';
import { type Registration, type Reservation, toDefinition } from './state.ts';
import { compareStored } from './stored.ts';

/** Which token is given: the reservation's own, another one's of the tenant, any, or none. */
type TokenChoice = 'right' | 'stolen' | 'made up' | 'none';

type Take = { resource: string; requester: string; ttlSeconds?: number; count?: number; mode?: Mode };
type GiveBack = {
  resource: string;
  requester: string;
  token: TokenChoice;
  /** Which of the reservations there are, by what name; null: the resource and requester above, whatever they have. */
  of: { nth: number; by: 'name' | 'slot' | 'last slot' } | null;
};

export type Step =
  | { do: 'register'; items: Registration[] }
  | { do: 'delete'; name: string; cascade: boolean }
  | { do: 'require registration'; on: boolean }
  | { do: 'reserve'; items: Take[] }
  | { do: 'unreserve'; items: GiveBack[] }
  | { do: 'renew'; items: (GiveBack & { ttlSeconds: number })[] }
  | { do: 'transaction'; method: TransactionMethod; items: (Take | GiveBack)[] }
  | { do: 'wait'; ms: number }
  | { do: 'sweep' }
  | { do: 'reset' }
  | { do: 'look'; name: string; requester: string };

export type History = Step[];

/** Few names, so that they meet: pools and their slots, trees and their paths, blockers, and resources of no kind. */
const NAMES = ['p', 'q', 'a', 'b', 'c', 'r', 'p_1', 'q_0'];
const PATHS = ['r>a', 'r>b>a', 'b>a', 'r>p', 'r>b>q', 'r>c'];
const SLOTS = ['p_0', 'p_1', 'p_2', 'p_3', 'q_0', 'q_1', 'p_7', 'r>p_1'];
const REQUESTERS = ['A', 'B', 'C'];

const oftenFirst = (...lists: string[][]) =>
  fc.oneof(...lists.map((list, i) => ({ weight: 4 * (lists.length - i) - 3, arbitrary: fc.constantFrom(...list) })));
const name = oftenFirst(['p', 'q', 'a', 'b', 'c', 'r'], NAMES);
const resource = oftenFirst(['p', 'q', 'a', 'b', 'c', 'r'], SLOTS, PATHS);
const requester = fc.constantFrom(...REQUESTERS);
const ttlSeconds = fc.integer({ min: 1, max: 5 });
const token = fc.constantFrom<TokenChoice>('right', 'right', 'right', 'right', 'stolen', 'made up', 'none');
const count = fc.constantFrom(null, null, null, null, 1, 2, 2, 3, 4);
const mode = fc.constantFrom<Mode | null>(null, null, null, 'EXCLUSIVE', 'SHARED', 'SHARED');
const take = fc.record({ resource, requester, ttlSeconds: fc.option(ttlSeconds, { nil: null }), count, mode }).map(
  ({ ttlSeconds, count, mode, ...item }): Take => ({
    ...item,
    ...(ttlSeconds === null ? {} : { ttlSeconds }),
    ...(count === null || mode === 'SHARED' ? {} : { count }),
    ...(mode === null ? {} : { mode }),
  }),
);
const giveBack = fc.record({
  resource,
  requester,
  token,
  of: fc.option(
    fc.record({ nth: fc.nat(9), by: fc.constantFrom('name' as const, 'slot' as const, 'last slot' as const) }),
    { freq: 3 },
  ),
});
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });

const registration: fc.Arbitrary<Registration> = fc
  .record({
    name,
    capacity: fc.constantFrom(1, 1, 2, 3, 4),
    blocks: fc.oneof(
      fc.constant<string[]>([]),
      fc.uniqueArray(name, { maxLength: 2 }),
      fc.uniqueArray(resource, { maxLength: 2 }),
    ),
    treePath: fc.oneof(
      fc.constantFrom<string[]>([], [], ['r'], ['r'], ['r', 'b']),
      fc.uniqueArray(name, { maxLength: 2 }),
    ),
    group: fc.constantFrom(undefined, undefined, undefined, true, false),
    labels: fc.constantFrom(undefined, undefined, {}, { os: 'a' }, { os: 'b', x: '' }),
    groups: fc.constantFrom(undefined, true),
  })
  .map(({ name, blocks, treePath, ...rest }) => ({
    name,
    ...rest,
    blocks: rest.group === true ? [] : blocks.filter((one: string) => one !== name),
    treePath: treePath.filter((one: string) => one !== name),
  }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('register' as const), items: few(registration) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('reserve' as const), items: few(take) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('unreserve' as const), items: few(giveBack) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('renew' as const),
      items: few(fc.tuple(giveBack, ttlSeconds).map(([item, ttlSeconds]) => ({ ...item, ttlSeconds }))),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({
        do: fc.constant('transaction' as const),
        method: fc.constantFrom(...TRANSACTION_METHODS),
        items: few(take),
      }),
      fc.record({
        do: fc.constant('transaction' as const),
        method: fc.constantFrom('ALL_OR_NONE' as const, 'AS_MANY_AS_POSSIBLE' as const),
        items: few(fc.oneof(take, giveBack)),
      }),
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const), name: resource, requester }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('delete' as const),
          name,
          cascade: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('require registration' as const),
          on: fc.constantFrom(true, false, false, false),
        }),
      },
    ),
  },
);

/** Histories of up to so many steps. */
export const histories = (maxLength: number): fc.Arbitrary<History> => fc.array(step, { maxLength, size: 'max' });

/**
 * Carries a history out, on the engine and on a model of its own.
 * @throws where their answers or their states differ
 */
export async function run({ engine, credential }: RunningEngine, history: History): Promise<void> {
  const { tenant } = credential;
  const { redis } = engine;
  const changes = changeInRedis(engine, 16);
  const model = new Model();
  // A step that writes to the tenant by itself must not come before it is there.
  await engine.loadTenant(tenant);
  model.setClock(Date.now());
  await setClock(redis, tenant, model.nowMs);
  for (const [i, one] of history.entries()) {
    try {
      await carryOut(one);
      await compareStored(redis, tenant, model);
    } catch (error) {
      if (error instanceof Error) error.message = `step ${i}, ${JSON.stringify(one)}: ${error.message}`;
      throw error;
    }
  }

  function chosen(item: GiveBack) {
    const target = model.reservations[(item.of?.nth ?? 0) % model.reservations.length];
    const named = (one: Reservation) => ({
      name: one.requestedName,
      slot: one.own.slot,
      'last slot': one.details.slots?.at(-1) ?? one.own.slot,
    });
    const { resource, requester } =
      item.of === null || target === undefined
        ? item
        : { resource: named(target)[item.of.by], requester: target.requester };
    const releaseToken = {
      right: model.find(resource, requester)?.token ?? undefined,
      stolen: model.reservations.find((one) => one.requester !== requester)?.token ?? undefined,
      'made up': randomUUID(),
      none: undefined,
    }[item.token];
    return { resource, requester, releaseToken };
  }

  async function carryOut(one: Step): Promise<void> {
    switch (one.do) {
      case 'register': {
        const answer = await refusable(
          changes.register(credential, one.items.map(toDefinition)).then(({ result }) => result),
        );
        expect(sorted(answer)).toEqual(sorted(model.register(one.items) ?? 'refused'));
        return;
      }
      case 'delete': {
        const answer = await refusable(changes.delete(credential, one.name, one.cascade).then(({ result }) => result));
        expect(sorted(answer)).toEqual(sorted(model.delete(one.name, one.cascade)));
        return;
      }
      case 'require registration':
        await redis.hset(`{${tenant}}:tenant`, 'requireRegistration', one.on ? '1' : '0');
        model.requireRegistration = one.on;
        return;
      case 'reserve': {
        const results = await reserve(engine, credential, one.items);
        expect(results).toEqual(one.items.map((item, i) => model.reserve(item, results[i]?.releaseToken ?? null)));
        return;
      }
      case 'unreserve': {
        const items = one.items.map(chosen);
        const results = await unreserve(engine, credential, items);
        expect(results).toEqual(items.map((item) => model.unreserve(item)));
        return;
      }
      case 'renew': {
        const items = one.items.map((item) => ({ ...chosen(item), ttlSeconds: item.ttlSeconds }));
        const results = await renew(engine, credential, items);
        expect(results).toEqual(items.map((item) => model.renew(item)));
        return;
      }
      case 'transaction': {
        const items = one.items.map(
          (item): TransactionItem =>
            'token' in item ? { requestType: 'UNRESERVE', ...chosen(item) } : { requestType: 'RESERVE', ...item },
        );
        const answer = await transaction(engine, credential, one.method, items);
        const tokens = answer.results.map((result) => ('releaseToken' in result ? result.releaseToken : null));
        expect(answer).toEqual(model.transaction(one.method, items, tokens));
        return;
      }
      case 'wait':
        model.setClock(model.nowMs + one.ms);
        await setClock(redis, tenant, model.nowMs);
        // What is due stays stored until somebody comes along.
        await available(engine, credential, 'a');
        return;
      case 'sweep':
        await sweep(redis);
        return;
      case 'reset':
        expect(await reset(engine, credential)).toBe(model.reset());
        return;
      case 'look':
        return look(one.name, one.requester);
    }
  }

  async function look(name: string, requester: string): Promise<void> {
    expect(await available(engine, credential, name)).toBe(model.available(name));
    const items = [{ resource: name }, { resource: name, requester }];
    expect(await check(engine, credential, items)).toEqual(items.map((item) => model.check(item)));
    expect(await allDefinitions(engine, credential)).toEqual(model.list());
    expect(await wholeTree(engine, credential)).toEqual(model.tree());
    const found = await all(active(engine, credential));
    expect(sorted(found)).toEqual(
      sorted(
        model.reservations.map(({ requestedName, requester, reservedAt, expiresAt, details, fence }) => ({
          resource: requestedName,
          requester,
          resourceType: 'UserDefined',
          reservedAt: new Date(reservedAt).toISOString(),
          expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
          claimBy: null,
          ...details,
          fencingToken: fence,
          apiKeyLabel: null,
        })),
      ),
    );
  }
}

/** What is refused as a whole, as its code. */
const refusable = <T>(call: Promise<T>): Promise<T | string> =>
  call.catch((error: unknown) => {
    if (error instanceof HoldfastError) return error.code;
    throw error;
  });
