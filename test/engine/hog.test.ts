/**
 * No script keeps Redis busy for long: the worst request that the limits allow, of every operation, on the worst state
 * that the caps allow.
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { deleteDefinition } from '../../src/engine/definitions/delete.ts';
import { NOW } from '../../src/engine/definitions/step.ts';
import { check } from '../../src/engine/reservations/check.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { setClock } from '../support/clock.ts';
import { renew, reserve, reset, unreserve } from '../support/verbs.ts';
import { DEFINITIONS } from './hog/definitions.ts';
import { RESERVATIONS } from './hog/reservations.ts';
import { BATCH, base, fresh, item, range, registerAll, resources, running, times } from './hog/state.ts';

/**
 * On a quiet core. ScriptTimes corrects for a slower machine; a busy one gets half as much again.
 */
const MAX_MS = 15;

const checkSlots = (one: ReserveResult | undefined) =>
  check(
    running.engine,
    running.credential,
    (one?.slots ?? []).map((resource) => ({ resource, requester: one?.requester })),
  );

describe('no request keeps Redis busy for long', () => {
  test.each([...RESERVATIONS, ...DEFINITIONS])('%s', async (title, operation) => {
    const { engine, credential } = running;
    if (title.includes('held as plain'))
      for (let i = 0; i < 5000; i += BATCH)
        await reserve(
          engine,
          credential,
          resources(BATCH, (j) => `adopted_${i + j}`),
        );
    expect(await times.longest(title, operation())).toBeLessThan(MAX_MS);
  });

  test('delete of the most resources allowed, and release of the longest plans', async () => {
    const { engine, credential } = running;
    const nodes = async () => {
      await registerAll(
        range(498, (i) => item(`${i}-of-doomed`, { treePath: ['doomed'] })),
        250,
      );
    };
    expect(
      await times.longest(
        'delete of 499 that cascades',
        () => deleteDefinition(engine, credential, 'doomed', true, NOW),
        nodes,
      ),
    ).toBeLessThan(MAX_MS);
    let held: Awaited<ReturnType<typeof reserve>> = [];
    const take = async () => {
      held = await reserve(engine, credential, [{ resource: 'pool', requester: fresh() }]);
    };
    expect(
      await times.longest('unreserve of a pool with 448 blockers', () => unreserve(engine, credential, held), take),
    ).toBeLessThan(MAX_MS);
    const takeMany = async () => {
      held = await reserve(
        engine,
        credential,
        resources(BATCH, (i) => `${fresh()}_${i}`),
      );
    };
    expect(await times.longest('unreserve of 500', () => unreserve(engine, credential, held), takeMany)).toBeLessThan(
      MAX_MS,
    );
    expect(
      await times.longest(
        'renew of 500',
        () =>
          renew(
            engine,
            credential,
            held.map((one) => ({ ...one, ttlSeconds: 60 })),
          ),
        takeMany,
      ),
    ).toBeLessThan(MAX_MS);
  });

  test('release, check and expiry of 500 slots that were taken at once', async () => {
    const { engine, credential } = running;
    let held: Awaited<ReturnType<typeof reserve>> = [];
    let now = base;
    const take = async () => {
      held = await reserve(engine, credential, [
        { resource: 'wide', requester: fresh(), ttlSeconds: 60, count: BATCH },
      ]);
    };
    const due = async () => {
      await take();
      now += 61_000;
      await setClock(engine.redis, credential.tenant, now);
    };
    const worst: [string, () => Promise<unknown>, () => Promise<void>][] = [
      ['release of 500 slots', () => unreserve(engine, credential, held), take],
      ['check of 500 slots that were taken at once', () => checkSlots(held[0]), take],
      ['expiry of 500 slots', () => reserve(engine, credential, [{ resource: fresh(), requester: 'r' }]), due],
    ];
    for (const [title, operation, prepare] of worst)
      expect(await times.longest(title, operation, prepare)).toBeLessThan(MAX_MS);
    await setClock(engine.redis, credential.tenant, base);
  });

  test('expiry of the longest plans, on access and by a sweep', async () => {
    const { engine, credential } = running;
    let now = base;
    const due = async () => {
      for (let i = 0; i < 4; i++)
        await reserve(engine, credential, [{ resource: 'pool', requester: fresh(), ttlSeconds: 1 }]);
      await reserve(
        engine,
        credential,
        resources(BATCH, (i) => `${fresh()}_${i}`, 1),
      );
      now += 2000;
      await setClock(engine.redis, credential.tenant, now);
    };
    expect(
      await times.longest(
        'expiry on access',
        () => reserve(engine, credential, [{ resource: fresh(), requester: 'r' }]),
        due,
      ),
    ).toBeLessThan(MAX_MS);
    expect(
      await times.longest(
        'expiry by a sweep',
        () => engine.redis.hf_sweep(...keysOf('sweep', credential.tenant), ''),
        due,
      ),
    ).toBeLessThan(MAX_MS);
  });

  test('reset', async () => {
    expect(await times.longest('reset', () => reset(running.engine, running.credential))).toBeLessThan(MAX_MS);
  });
});
