/**
 * No script keeps Redis busy for long: the worst request that the limits allow, of every operation, on the worst state
 * that the caps allow.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { Idempotency } from '../../src/domain/idempotency.ts';
import { MAX_NOTE_LENGTH } from '../../src/domain/maxSizes.ts';
import { deleteDefinition, NOW } from '../../src/engine/definitions/changes.ts';
import { reserve as reserveOnce } from '../../src/engine/reservations/reserve.ts';
import { beginSession } from '../../src/engine/sessions.ts';
import { closeStreams, openStream } from '../../src/engine/tenant/streamLeases.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { setClock } from '../support/clock.ts';
import { changeHot } from '../support/hotRecord.ts';
import { operatorOf } from '../support/tenancy.ts';
import { check, renew, reserve, reset, unreserve } from '../support/verbs.ts';
import { DEFINITIONS } from './hog/definitions.ts';
import { RESERVATIONS } from './hog/reservations.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { BATCH, base, fresh, item, long, range, registerAll, resources, running, times } from './hog/state.ts';

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

  test('items and reservations with the longest notes', async () => {
    const { engine, credential } = running;
    const note = '🎉'.repeat(MAX_NOTE_LENGTH);
    const noted = (count: number, name: string) =>
      resources(count, (i) => `${name}${i}`, 60).map((one) => ({ ...one, note }));
    for (const count of [100, BATCH]) {
      const title = `reserve of ${count} with long notes`;
      expect(await times.longest(title, () => reserve(engine, credential, noted(count, fresh())))).toBeLessThan(MAX_MS);
    }
    for (let i = 0; i < BATCH; i += 50) await reserve(engine, credential, noted(50, `noted-${i}-`));
    const held = range(BATCH, (i) => ({ resource: `noted-${50 * Math.floor(i / 50)}-${i % 50}`, requester: 'other' }));
    const onHeld: [string, () => Promise<unknown>][] = [
      ['reserve of 500 that are held, with long notes', () => reserve(engine, credential, held)],
      ['check of 500 with long notes', () => check(engine, credential, held)],
    ];
    for (const [title, operation] of onHeld) expect(await times.longest(title, operation)).toBeLessThan(MAX_MS);
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

  test('release of 500 without their tokens, and what their holders learn', async () => {
    const { engine, credential } = running;
    const operator = await operatorOf(engine.redis, credential.tenant);
    let held: Awaited<ReturnType<typeof reserve>> = [];
    const take = async () => {
      held = await reserve(
        engine,
        credential,
        resources(BATCH, (i) => `${fresh()}_${i}`),
      );
    };
    const force = () =>
      unreserve(
        engine,
        operator,
        held.map(({ resource, requester }) => ({ resource, requester })),
      );
    const [taken, takenAt] = [`{${credential.tenant}}:taken`, `{${credential.tenant}}:takenAt`];
    // As many as are kept, all of which are over: the most are dropped.
    for (let i = 0; i < 10_000; i += BATCH) {
      const tokens = range(BATCH, (j) => `token-${i + j}`);
      await engine.redis.zadd(takenAt, ...tokens.flatMap((token) => [0, token]));
      await engine.redis.hset(taken, Object.fromEntries(tokens.map((token) => [token, '0\nperson:x'])));
    }
    expect(await times.longest('forced release of 500', force, take)).toBeLessThan(MAX_MS);
    const lost = () =>
      renew(
        engine,
        credential,
        held.map((one) => ({ ...one, ttlSeconds: 60 })),
      );
    expect(await times.longest('renew of 500 that were taken away', lost)).toBeLessThan(MAX_MS);
    expect((await lost()).filter(({ explanation }) => explanation.includes('taken away by'))).toHaveLength(BATCH);
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
        () => runScript(engine.redis, 'sweep', ...keysOf('sweep', credential.tenant), ''),
        due,
      ),
    ).toBeLessThan(MAX_MS);
  });

  test('leases that end soon: with the longest names and notes, and with the longest plans', async () => {
    const { engine, credential } = running;
    const sweep = () => runScript(engine.redis, 'sweep', ...keysOf('sweep', credential.tenant), '');
    const note = '🎉'.repeat(MAX_NOTE_LENGTH);
    let now = base;
    const ends = (items: () => Parameters<typeof reserve>[2]) => async () => {
      await setClock(engine.redis, credential.tenant, now);
      const all = items().map((one) => ({ ...one, ttlSeconds: 600 }));
      const step = all.length < 10 ? 1 : 50;
      for (let i = 0; i < all.length; i += step) await reserve(engine, credential, all.slice(i, i + step));
      await openStream(engine, credential, fresh());
      now += 301_000;
      await changeHot(engine.redis, credential.tenant, { listenUntil: now + 600_000 });
      await setClock(engine.redis, credential.tenant, now);
    };
    const worst: [string, () => Parameters<typeof reserve>[2]][] = [
      ['plain names', () => resources(BATCH, () => fresh())],
      ['long names and notes', () => resources(BATCH, (i) => long(`${fresh()}${i}`)).map((one) => ({ ...one, note }))],
      ['long plans', () => range(4, () => ({ resource: 'pool', requester: fresh() }))],
      ['500 slots', () => [{ resource: 'wide', requester: fresh(), count: BATCH }]],
    ];
    for (const [title, items] of worst)
      expect(await times.longest(`announcing ${title}`, sweep, ends(items))).toBeLessThan(MAX_MS);
    await closeStreams(
      engine,
      credential.tenant,
      await engine.redis.zrange(`{${credential.tenant}}:streams`, '0', '-1'),
    );
    await setClock(engine.redis, credential.tenant, base);
  });

  test('the longest reply that is kept, in place of as many short ones as can have to make room', async () => {
    const { engine, credential } = running;
    const answers = `{${credential.tenant}}:answers`;
    const idempotency = () => ({ key: randomUUID(), fingerprint: 'F'.repeat(64) });
    const short = (as: Idempotency) =>
      reserveOnce(engine, credential, [{ resource: fresh(), requester: 'r' }], undefined, as);
    const fill = async () => {
      await engine.redis.del(answers);
      for (let i = 0; i < 250; i++) await short(idempotency());
      const [, end = 0] = /^\d+ \d+ (\d+)/.exec((await engine.redis.lindex(answers, -1)) ?? '') ?? [];
      await engine.redis.rpush(answers, `${base} ${end} ${16 * 1024 * 1024} ${answers}-none`);
    };
    let last = idempotency();
    const items = resources(BATCH, (i) => `${i}-${'x'.repeat(40)}`.slice(0, 40), 60);
    const long = () => {
      last = idempotency();
      return reserveOnce(engine, credential, items, undefined, last);
    };
    expect(await times.longest('reserve of 500 that is kept', long, fill)).toBeLessThan(MAX_MS);
    expect(await engine.redis.llen(answers)).toBeLessThan(200);
    expect(
      await times.longest('its repeat', () => reserveOnce(engine, credential, items, undefined, last)),
    ).toBeLessThan(MAX_MS);
  });

  test('the end of a session with the longest plans, and with the most reservations for one call', async () => {
    const { engine, credential } = running;
    let now = base + 1_000_000;
    const due = async () => {
      const { result } = await beginSession(engine, credential, { requester: 'w', ttlSeconds: 5 });
      const hold = (names: string[]) =>
        reserve(
          engine,
          credential,
          names.map((resource) => ({ resource, requester: 'w', session: result.session })),
        );
      for (const name of [`pool_${fresh().length}`, 'deep1', 'deep2']) await hold([name]);
      for (let i = 0; i < 4; i++) await hold(range(BATCH / 4, (j) => long(`${fresh()}${j}`)));
      now += 6000;
      await setClock(engine.redis, credential.tenant, now);
    };
    await setClock(engine.redis, credential.tenant, now);
    expect(
      await times.longest(
        'end of a session on access',
        () => reserve(engine, credential, [{ resource: fresh(), requester: 'r' }]),
        due,
      ),
    ).toBeLessThan(MAX_MS);
  });

  test('reset', async () => {
    const { engine, credential } = running;
    expect(await times.longest('reset', () => reset(engine, credential))).toBeLessThan(MAX_MS);
    const put = async () => {
      for (const name of ['deep1', 'deep2']) await reserve(engine, credential, [{ resource: name, requester: 'w' }]);
      const items = resources(BATCH / 2, (i) => long(`${fresh()}${i}`));
      await reserve(engine, credential, items);
      await reset(engine, credential);
    };
    const piece = () =>
      runScript(engine.redis, 'keepReset', ...keysOf('keepReset', credential.tenant), '0', 1_000_000, '');
    expect(await times.longest('a piece of the history of a reset', piece, put)).toBeLessThan(MAX_MS);
  });
});
