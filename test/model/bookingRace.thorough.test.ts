/**
 * Two people book the last slot at once, on two instances: one of them gets it (docs/specification.md#booking).
 */
import { randomInt } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { changeInRedis } from '../../src/definitions/change.ts';
import { book } from '../../src/engine/bookings.ts';
import { startEngine } from '../support/engine.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';

const ROUNDS = 1000;
/** A booking of each round is an hour long. */
const HOUR = 3600;

test(`of two who book the last slot at once, one gets it, ${ROUNDS} times`, { timeout: 120_000 }, async () => {
  const tenant = makeTenant();
  const key = makeConfiguredKey(tenant);
  const start = () => startEngine(tenant, inject('redisUrl'), {}, {}, key);
  const instances = await Promise.all([start(), start()]);
  try {
    const [{ engine, credential }] = instances;
    const pools = ['p0', 'p1', 'p2', 'p3'];
    const changes = changeInRedis(engine);
    await changes.register(
      credential,
      pools.map((name) => ({ name, capacity: 2, blocks: [], treePath: null, bookable: true })),
    );
    const now = Math.floor(Date.now() / 1000) + HOUR;
    const wanted = (requester: string, round: number) => ({
      bookings: [
        {
          resource: pools[round % pools.length] ?? '',
          requester,
          start: now + Math.floor(round / pools.length) * HOUR,
          end: now + (Math.floor(round / pools.length) + 1) * HOUR,
        },
      ],
      skipConflicts: false,
    });
    const wins = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      await book(engine, credential, wanted(`early${round % 50}`, round));
      const first = randomInt(2);
      const answers = await Promise.all(
        [first, 1 - first].map(async (i) => {
          const one = instances[i] ?? instances[0];
          const { result } = await book(one.engine, one.credential, wanted(`person${i}-${round % 50}`, round));
          return { i, status: result.status, slot: result.bookings[0]?.slot };
        }),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['BOOKED', 'CONFLICT']);
      const winner = answers.find(({ status }) => status === 'BOOKED');
      expect(winner?.slot).toBe(`${pools[round % pools.length]}_1`);
      wins[winner?.i ?? 0] = (wins[winner?.i ?? 0] ?? 0) + 1;
    }
    // They did race.
    expect(Math.min(...wins)).toBeGreaterThan(0);
  } finally {
    for (const one of instances) one.stop();
  }
});
