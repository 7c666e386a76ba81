/**
 * The queue always comes to an end of settling, in a bounded number of scripts, however the tickets are entangled
 * (docs/specification.md#waiting-order). HOG=full prints the figures, and takes the large queues to 10,000 tickets.
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { transaction } from '../../../src/engine/reservations/transaction.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { parseReply, toInteger } from '../../../src/redis/reply.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { reserve, reset, unreserve } from '../../support/verbs.ts';
import { CALL } from '../../support/waitingEngine.ts';
import { IS_FULL, range, running, times, useHog } from '../hog/state.ts';

/** Tickets of the large queues. */
const MANY = IS_FULL ? 10_000 : 600;
/** Time of a script in the mean on a quiet core, with what a busy one makes of it. */
const MAX_PIECE_MS = 15;
/** Time of all scripts after a release, for each ticket that waits, on a quiet core. */
const MAX_MS_A_TICKET = 6;

useHog();

const definition = { capacity: 1, blocks: [] as string[], treePath: null as string | null };
type Definition = { name: string } & Partial<typeof definition>;
const define = (...all: Definition[]) =>
  register(
    running.engine,
    running.credential,
    all.map((one) => ({ ...definition, ...one })),
    NOW,
  );
const hold = (requester: string, ...names: string[]) =>
  reserve(
    running.engine,
    running.credential,
    names.map((resource) => ({ resource, requester })),
  );
const wait = (requester: string, names: readonly string[]) =>
  transaction(
    running.engine,
    running.credential,
    'ALL_OR_NONE',
    names.map((resource) => ({ requestType: 'RESERVE' as const, requester, resource, ttlSeconds: 50_000 })),
    { wait: { waitSeconds: 80_000, claimSeconds: 600 }, call: CALL },
  );

/** Whole numbers below a limit, always the same. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Returns the number of scripts until nothing of the tenant is left to do. */
async function piecesLeft(): Promise<number> {
  const keys = keysOf('sweep', running.credential.tenant);
  for (let pieces = 1; pieces <= 50_000; pieces++) {
    const [code, , , , granted] = parseReply(await runScript(running.engine.redis, 'sweep', ...keys, ''));
    if (code !== 'OK') continue;
    // A second look at the queue grants nothing, so nobody was forgotten.
    expect(toInteger(granted)).toBe(0);
    return pieces;
  }
  return Number.POSITIVE_INFINITY;
}

/** A tenant's queue in which everything hangs together: what is free is kept, by sets that wait for something else. */
async function entangle(i: number): Promise<void> {
  const name = (of: string) => `${of}-${i}`;
  const one = (of: string) => `${of}.${i}`;
  await define(
    { name: name('lamp'), capacity: 3 },
    { name: name('lamps'), capacity: 3, blocks: [name('lamp')] },
    { name: name('ring'), capacity: 2 },
    { name: name('join'), capacity: 3, blocks: [name('ink')] },
    { name: name('joined'), blocks: [name('ink')] },
    { name: name('floor'), capacity: 2 },
    ...['a', 'b', 'c'].map((room) => ({ name: name(room), treePath: name('floor') })),
  );
  // Each keeps what is free of its set, and waits for what somebody holds, who waits for what it keeps.
  await hold(one('a'), name('q'), name('x'));
  await wait(one('b'), [name('q'), name('lamp')]);
  await wait(one('c'), [name('ring'), name('x'), name('z')]);
  await hold(one('d'), name('ring'));
  await wait(one('e'), [name('ring'), name('y')]);
  await hold(one('a'), name('y'));
  await hold(one('f'), name('join'));
  await wait(one('g'), [name('joined'), name('h')]);
  await hold(one('f'), name('joined'), `${name('join')}_2`);
  await hold(one('k'), name('hold'));
  await wait(one('l'), [name('hold'), name('held')]);
  await hold(one('k'), name('held'));
  await hold(one('m'), name('w'));
  await wait(one('n'), [name('a'), name('w')]);
  await wait(one('n'), [name('b'), name('w')]);
}

describe('what is left of settling the queue is bounded', () => {
  test('in 20 entangled sets of everything that tickets can wait for', async () => {
    for (let i = 0; i < 20; i++) await entangle(i);
    const [freed] = await hold('z', 'y-0-z');
    await wait('waiter', ['y-0-z', 'q-3']);
    await unreserve(running.engine, running.credential, freed ? [freed] : []);
    expect(await piecesLeft()).toBeLessThan(20);
  });

  test.each([
    ['open sets of 20 of 200 names', 20, 200],
    ['open sets of 5 of 60 names', 5, 60],
    ['open sets of 2 of 1000 names', 2, 1000],
  ])('when somebody gives up what all wait for: %s', { timeout: 600_000 }, async (title, size, names) => {
    const { engine, credential } = running;
    await reset(engine, credential);
    const next = numbers(names);
    await define(
      ...range(20, (i) => ({ name: `pool${i}`, capacity: 2 + (i % 3) })),
      ...range(20, (i) => ({ name: `blocking${i}`, capacity: 2, blocks: [`thing${i}`] })),
      ...range(20, (i) => ({ name: `leaf${i}`, treePath: `pool${i}` })),
    );
    const nameOf = (i: number) =>
      i % 10 === 0
        ? `pool${i % 20}`
        : i % 10 === 1
          ? `blocking${i % 20}`
          : i % 10 === 2
            ? `leaf${i % 20}`
            : `thing${i}`;
    // Those who hold things wait for others, too, and each has two tickets.
    const held: ReserveResult[] = [];
    for (let i = 0; i < names; i += 2) held.push(...(await hold(`r${i}`, nameOf(i))));
    // More at a time would wait for each other for too long.
    for (let i = 0; i < MANY; i += 10)
      await Promise.all(
        range(10, (j) => wait(`r${(i + j) % (MANY / 2)}`, [...new Set(range(size, () => nameOf(next(names))))])),
      );
    await piecesLeft();
    // Logging each command takes more time than most of the commands.
    await engine.redis.config('SET', 'slowlog-log-slower-than', '-1');
    for (let from = 0; from < held.length; from += held.length / 5) {
      const beforeMs = await times.cpuMs();
      await unreserve(engine, credential, held.slice(from, from + held.length / 5));
      const pieces = await piecesLeft();
      const ms = await times.onQuietCore((await times.cpuMs()) - beforeMs);
      if (IS_FULL) process.stdout.write(`${title}: ${pieces} scripts, ${ms.toFixed(0)} ms\n`);
      // A grant has only those tickets looked at again that it may concern, and each script does its share.
      expect(pieces).toBeLessThan(MANY);
      expect(ms / (pieces + 1)).toBeLessThan(MAX_PIECE_MS);
      expect(ms / MANY).toBeLessThan(MAX_MS_A_TICKET);
    }
  });
});
