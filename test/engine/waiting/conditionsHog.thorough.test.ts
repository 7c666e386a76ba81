/**
 * No script keeps Redis busy for long when the condition of 500 slots changes for which many wait
 * (docs/specification.md#waiting-for-a-condition). HOG=full prints the figures.
 */
import { describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import type { Condition } from '../../../src/domain/conditions.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import * as engineReserve from '../../../src/engine/reservations/reserve.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { until } from '../../support/until.ts';
import { check, reserve, reset, unreserve } from '../../support/verbs.ts';
import { MAX_MS } from '../hog/scriptTimes.ts';
import { range, running, times, useHog } from '../hog/state.ts';

const SLOTS = 500;
const ATTENDED = { instance: 'hog', pollMs: 30_000, isContinuation: false };
const CONDITIONS = [undefined, 'dirty', 'out'] as const;

const slots = range(SLOTS, (i) => `pool_${i}`);
const holders = slots.map((resource, i) => ({ resource, requester: `h${i}` }));

useHog();

/** Registers the pool, whose slots somebody holds, and issues tickets, some a call. */
async function begin(count: number, aCall: number, make: (i: number) => Pick<ReserveItem, 'resource' | 'count'>) {
  const { engine, credential } = running;
  await reset(engine, credential);
  const pool = { name: 'pool', blocks: [], treePath: null };
  for (const capacity of [1, SLOTS]) await register(engine, credential, [{ ...pool, capacity }], NOW);
  const held = await reserve(engine, credential, holders);
  for (let i = 0; i < count; i += aCall) {
    const items = range(aCall, (j) => {
      const condition = CONDITIONS[(i + j) % 3];
      const lasts = { ttlSeconds: 60, waitSeconds: 86_400, claimSeconds: 600 };
      return { ...make(i + j), requester: `w${i + j}`, ...(condition && { condition }), ...lasts };
    });
    await engineReserve.reserve(engine, credential, items, ATTENDED);
  }
  return held;
}

const become = (condition: Condition) =>
  setCondition(
    running.engine,
    running.credential,
    slots.map((resource) => ({ resource, condition })),
  );
/** Goes on with what a script has left to settle. */
const sweep = () => runScript(running.engine.redis, 'sweep', ...keysOf('sweep', running.credential.tenant), '');
const settled = () =>
  until('the queue', () => check(running.engine, running.credential, [{ resource: 'pool' }]).catch(() => null), 30_000);

describe.each([
  ['its slots by name', 3 * SLOTS, 25, true, (i: number) => ({ resource: `pool_${Math.floor(i / 3)}` })],
  ['many of its slots', 300, 4, false, () => ({ resource: 'pool', count: 200 })],
] as const)('of a pool when requests wait for %s', (what, count, aCall, areHeld, make) => {
  test('neither the change nor the pieces after it', async () => {
    const held = await begin(count, aCall, make);
    if (!areHeld) {
      await become('out');
      for (let i = 0; i < SLOTS; i += 100) await unreserve(running.engine, running.credential, held.slice(i, i + 100));
    }
    for (const [before, after] of [
      ['ready', 'out'],
      ['out', 'dirty'],
      ['dirty', 'ready'],
    ] as const) {
      const begun = async () => {
        // The run before may have left a backlog, which refuses requests.
        await settled();
        await become(before);
        await settled();
      };
      const title = `${what}: from ${before} to ${after}`;
      expect(await times.longest(title, () => become(after), begun)).toBeLessThan(MAX_MS);
      const changed = async () => {
        await begun();
        await become(after);
      };
      expect(await times.longest(`${title}, a piece`, sweep, changed)).toBeLessThan(MAX_MS);
    }
  });
});
