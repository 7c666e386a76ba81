import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { LimitError } from '../../src/domain/errors.ts';
import { asService } from '../../src/domain/tenants.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { reserve as chargedReserve } from '../../src/engine/reservations/reserve.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { renew, reserve, unreserve, usage } from '../support/verbs.ts';

let running: RunningEngine;
/** Scripts that were called, in order. */
const called: string[] = [];
beforeAll(async () => {
  running = await startEngine();
  await reserve(running.engine, running.credential, [{ resource: 'first', requester: 'r' }]); // so that Redis has the tenant
  observeScripts(running.engine.redis, (script) => {
    called.push(script);
    return () => {};
  });
});
beforeEach(() => {
  called.length = 0;
});
afterAll(() => running.stop());

/** Each request has a credential of its own, as those of HTTP do. */
const asked = async (items: readonly ReserveItem[], { engine, credential } = running) => {
  const { result, quota } = await chargedReserve(engine, { ...credential }, items);
  return { results: result, quota };
};
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const item = (resource: string, requester = 'r') => ({ resource, requester });

/** Starts two requests, each with a call of its own: these begin before the function resolves. */
async function underWay() {
  const requests: ReturnType<typeof asked>[] = [];
  for (const name of names('under-way', 2)) {
    requests.push(asked([item(name)]));
    await null;
  }
  return requests;
}

describe('requests of one caller share calls', () => {
  test('those that start together have one together', async () => {
    const answers = await Promise.all(names('a', 60).map((name) => asked([item(name)])));
    expect(called).toHaveLength(1);
    expect(answers.map(({ results }) => results.map(({ resource, status }) => `${resource} ${status}`))).toEqual(
      names('a', 60).map((name) => [`${name} ACQUIRED`]),
    );
    expect(new Set(answers.flatMap(({ results }) => results.map(({ releaseToken }) => releaseToken))).size).toBe(60);
  });

  test('so have those that come while two calls are under way', async () => {
    const two = await underWay();
    await Promise.all([...two, ...names('m', 60).map((name) => asked([item(name)]))]);
    expect(called).toHaveLength(3);
  });

  test('one that comes alone waits for nothing', async () => {
    await asked([item('alone')]);
    await asked([item('alone again')]);
    expect(called).toEqual(['reserve', 'reserve']);
  });

  test('each has the replies to its own items, however many they are', async () => {
    const sizes = names('b', 40).map((name, i) => names(name, 1 + (i % 3)));
    const answers = await Promise.all(sizes.map((of) => asked(of.map((name) => item(name)))));
    expect(called.length).toBeLessThan(10);
    expect(answers.map(({ results }) => results.map(({ resource }) => resource))).toEqual(sizes);
    const results = answers.map((one) => one.results.map((result) => ({ ...result, ttlSeconds: 60 })));
    const renewed = await Promise.all(results.map((of) => renew(running.engine, { ...running.credential }, of)));
    expect(renewed.flat().map(({ status }) => status)).toEqual(results.flat().map(() => 'RENEWED'));
    const released = await Promise.all(results.map((of) => unreserve(running.engine, { ...running.credential }, of)));
    expect(released.map((of) => of.map((one) => one.released))).toEqual(sizes.map((of) => of.map((name) => [name])));
  });

  test('they are served in the order in which they came', async () => {
    const answers = await Promise.all(names('c', 30).map((name) => asked([item('contended', name)])));
    expect(answers.map(({ results }) => results[0]?.status)).toEqual(
      names('c', 30).map((_, i) => (i === 0 ? 'ACQUIRED' : 'ALREADY_HELD')),
    );
  });

  test('a call has a hundred items at most; a request of more than twenty has one of its own', async () => {
    await Promise.all(names('d', 12).map((name) => asked(names(name, 20).map((one) => item(one)))));
    // Five to a call.
    expect(called).toHaveLength(3);
    called.length = 0;
    await Promise.all(names('e', 10).map((name) => asked(names(name, 21).map((one) => item(one)))));
    expect(called).toHaveLength(10);
  });

  test('each verb has calls of its own', async () => {
    await Promise.all([
      ...names('f', 20).map((name) => asked([item(name)])),
      ...names('f', 20).map((resource) =>
        unreserve(running.engine, { ...running.credential }, [{ resource, requester: 'x', releaseToken: null }]),
      ),
    ]);
    expect(called.filter((script) => script === 'unreserve')).toHaveLength(1);
    expect(called.filter((script) => script === 'reserve')).toHaveLength(1);
  });

  test('each caller has calls of its own: a bad key neither gets in nor keeps a good one out', async () => {
    const bad = { ...running, credential: { ...running.credential, credentialKey: 'f'.repeat(64) } };
    const outcomes = await Promise.allSettled(
      names('k', 40).map((name, i) => asked([item(name)], i % 2 === 0 ? running : bad)),
    );
    outcomes.forEach((outcome, i) => {
      expect(outcome).toMatchObject(
        i % 2 === 0 ? { status: 'fulfilled' } : { status: 'rejected', reason: { code: 'unauthenticated' } },
      );
    });
  });
});

describe('requests that wait for a batch', () => {
  test('are at most 1,024 of a tenant, whatever their keys and verbs: one more is refused at once', async () => {
    const own = await startEngine(makeTenant());
    await asked([item('first')], own);
    const bad = (key: string) => ({ ...own, credential: { ...own.credential, credentialKey: key.repeat(64) } });
    const outcomes = ['e', 'f'].map((key) =>
      Promise.allSettled(names(key, 512).map((name) => asked([item(name)], bad(key)))),
    );
    const refused = [
      asked([item('more')], bad('e')),
      asked([item('more')], bad('f')),
      unreserve(
        own.engine,
        bad('e').credential,
        names('more', 30).map((resource) => ({ resource, requester: 'x', releaseToken: null })),
      ),
    ];
    for (const one of await Promise.allSettled(refused)) expect(one).toMatchObject({ reason: { code: 'overloaded' } });
    // Another tenant's are answered.
    await Promise.all(names('other', 10).map((name) => asked([item(name)])));
    for (const one of (await Promise.all(outcomes)).flat())
      expect(one).toMatchObject({ reason: { code: 'unauthenticated' } });
    // All places are free again.
    const again = await Promise.all(names('again', 1000).map((name) => asked([item(name)], own)));
    expect(again).toHaveLength(1000);
    own.stop();
  });

  test('are refused after 1.5 s, before anything is done', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const requests = [...(await underWay()), asked([item('slow')])];
      vi.advanceTimersByTime(1501);
      const [first, second, late] = await Promise.allSettled(requests);
      expect([first, second]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
      expect(late).toMatchObject({ reason: { code: 'overloaded' } });
      expect(called).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a refusal of a whole batch reaches each of its requests', () => {
  test.each([
    ['the cap of reservations', { reservations: 10 }],
    ['the quota of writes', { writesPerMinute: 10 }],
  ])('%s: as many as fit get in, the others learn that they alone do not', async (_, limits) => {
    const limited = await startEngine(makeTenant(), inject('redisUrl'), {}, limits);
    const outcomes = await Promise.allSettled(names('g', 30).map((name) => asked([item(name)], limited)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refusals).toHaveLength(20);
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(LimitError);
      expect(refusal.message).toContain('is reached');
    }
    limited.stop();
  });

  test('all are charged, once, and told what is left', async () => {
    const limited = await startEngine(makeTenant(), inject('redisUrl'), {}, { writesPerMinute: 1000 });
    const answers = await Promise.all(names('h', 50).map((name) => asked([item(name)], limited)));
    const left = answers.map(({ quota }) => quota[0]?.remaining ?? Number.NaN);
    expect(Math.min(...left)).toBe(950);
    expect(left.every((one) => one >= 950 && one < 1000)).toBe(true);
    limited.stop();
  });

  test('a request that takes too much spoils no other', async () => {
    const { engine, credential } = running;
    const blocks = names('blocked', 300);
    await register(engine, credential, [{ name: 'greedy', capacity: 200, blocks, treePath: null }], NOW);
    const greedy = names('q', 20).map((requester) => item('greedy', requester));
    const outcomes = await Promise.allSettled([
      ...names('i', 6).map((name) => asked([item(name)])),
      asked(greedy),
      asked([item('i-last')]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...names('i', 6).map(() => 'fulfilled'),
      'rejected',
      'fulfilled',
    ]);
  });
});

describe('a batch that is refused', () => {
  test('charges nothing: each request in it is charged once, when it is sent by itself', async () => {
    const own = await startEngine(makeTenant());
    const { engine, credential } = own;
    const wide = names('wide', 40).map((name) => ({ name, capacity: 1, blocks: names(name, 60), treePath: null }));
    await register(engine, credential, wide, NOW);
    const before = await usage(engine, credential);
    const answers = await Promise.all(wide.map(({ name }) => asked([item(name)], own)));
    expect(answers.map(({ results }) => results[0]?.status)).toEqual(wide.map(() => 'ACQUIRED'));
    expect((await usage(engine, credential)).writesToday - before.writesToday).toBe(40);
    own.stop();
  });

  test('for a quota that is used up is not sent again for each', async () => {
    const limited = await startEngine(makeTenant(), inject('redisUrl'), {}, { writesPerMinute: 5 });
    await asked(
      names('m', 5).map((name) => item(name)),
      limited,
    );
    const calls: string[] = [];
    observeScripts(limited.engine.redis, (script) => {
      calls.push(script);
      return () => {};
    });
    const outcomes = await Promise.allSettled(names('n', 50).map((name) => asked([item(name)], limited)));
    for (const one of outcomes)
      expect(one).toMatchObject({ reason: { message: expect.stringContaining('is reached') } });
    expect(calls.length).toBeLessThan(10);
    limited.stop();
  });
});

describe('what costs nothing', () => {
  test('is never refused for a quota that is exceeded already, as after its limit was lowered', async () => {
    const before = await startEngine(makeTenant());
    await asked(
      names('o', 20).map((name) => item(name)),
      before,
    );
    const { tenant } = before.credential;
    const after = await startEngine(tenant, inject('redisUrl'), {}, { writesPerDay: 3, writesPerMinute: 3 });
    await expect(usage(after.engine, before.credential)).resolves.toMatchObject({ writesToday: 20 });
    const items = [{ name: 'late', capacity: 1, blocks: [], treePath: null }];
    await expect(register(after.engine, asService(tenant), items, NOW)).resolves.toBeDefined();
    before.stop();
    after.stop();
  });
});

describe('Redis away: requests that wait fail as soon as those in flight', () => {
  test('all of them together', async () => {
    const server = await startRedis(() => {});
    const own = await startEngine(makeTenant(), server.url);
    await asked([item('before')], own);
    process.kill(server.pid, 'SIGSTOP');
    const told: number[] = [];
    const ask = (name: string) => asked([item(name)], own).finally(() => told.push(performance.now()));
    const outcomes = await Promise.allSettled(names('j', 40).map(ask));
    // A call that is sent later would take another 1.5 s.
    expect(Math.max(...told) - Math.min(...told)).toBeLessThan(1200);
    for (const one of outcomes) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    process.kill(server.pid, 'SIGCONT');
    own.stop();
    await server.stop();
  });
});
