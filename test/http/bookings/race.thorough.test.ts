/**
 * Two people book the last slot at once, on two instances: one of them gets it (docs/specification.md#booking).
 */
import { expect, test } from 'vitest';
import { bookingCalls } from '../../support/bookingCalls.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

const ROUNDS = 1000;
const POOLS = ['p0', 'p1', 'p2', 'p3'];
/** A booking of each round is an hour long. */
const HOUR_MS = 3_600_000;

test(`of two who book the last slot at once, one gets it, ${ROUNDS} times`, async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  const [one, other] = [await startInstance({ keys }), await startInstance({ keys })];
  try {
    await one.register(...POOLS.map((name) => ({ name, capacity: 2, bookable: true })));
    const now = Math.ceil(Date.now() / 1000) * 1000 + HOUR_MS;
    const at = (hours: number) => new Date(now + hours * HOUR_MS).toISOString();
    const book = async (instance: typeof one, who: string, round: number) => {
      const [resource, hour] = [POOLS[round % POOLS.length], Math.floor(round / POOLS.length)];
      const requester = `${who}-${round % 50}`;
      const { body } = await bookingCalls(instance).book([{ resource, requester, start: at(hour), end: at(hour + 1) }]);
      return { who, status: body.status, slot: body.bookings[0]?.slot };
    };
    const winners = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      await book(one, 'early', round);
      const both = [() => book(one, 'ann', round), () => book(other, 'bo', round)];
      // Each is the first to send in every other round.
      const answers = await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((send) => send()));
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['BOOKED', 'CONFLICT']);
      const winner = answers.find(({ status }) => status === 'BOOKED');
      expect(winner?.slot).toBe(`${POOLS[round % POOLS.length]}_1`);
      winners.add(winner?.who ?? '');
    }
    // They did race.
    expect(winners).toEqual(new Set(['ann', 'bo']));
  } finally {
    await one.stop();
    await other.stop();
  }
});
