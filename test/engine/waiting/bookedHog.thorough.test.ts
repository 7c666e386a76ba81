/**
 * No script keeps Redis busy for long when 500 wait for a pool of which all slots are booked
 * (docs/specification.md#leases-end-in-time). HOG=full gives it 10,000 slots, and prints the figures.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { book, cancelBookings } from '../../../src/engine/bookings.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import * as engineReserve from '../../../src/engine/reservations/reserve.ts';
import { transaction } from '../../../src/engine/reservations/transaction.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { setClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';
import { check, reserve, unreserve } from '../../support/verbs.ts';
import { IS_FULL, range, running, times, useHog } from '../hog/hog.ts';
import { MAX_MS } from '../hog/scriptTimes.ts';

/** HOG=full: as many as a lab may have. */
const SLOTS = IS_FULL ? 10_000 : 1000;
const WAITERS = 500;
const HOUR = 3600;
const START = Date.UTC(2050, 0, 1);
const ATTENDED = { instance: 'hog', pollMs: 30_000, isContinuation: false };
const WAIT = { waitSeconds: 86_400, claimSeconds: 600 };

useHog();
beforeAll(async () => {
  const { engine, credential } = running;
  await setClock(engine.redis, credential.tenant, START);
  const definition = { name: 'pool', blocks: [], treePath: null, bookable: true };
  for (const capacity of [1, SLOTS]) await register(engine, credential, [{ ...definition, capacity }], NOW);
  // Each slot a little later than the one before.
  for (let i = 0; i < SLOTS; i += 100) await bookAll(range(100, (j) => bookingOf(i + j, 2 * HOUR + i + j)));
  // Some are next, and lack something else. Most do not fit, and some need many slots.
  await reserve(engine, credential, [{ resource: 'door', requester: 'holder' }]);
  for (let i = 0; i < 70; i++) await waitForAll(i);
  for (let i = 0; i < WAITERS - 100; i += 5) await waitFor(i, 5, { ttlSeconds: 8 * HOUR });
  for (let i = 0; i < 30; i++)
    await waitFor(1000 + i, 1, { ttlSeconds: 4 * HOUR, minTtlSeconds: 4 * HOUR - i, count: 50 });
}, 300_000);

const bookingOf = (slot: number, start: number) => ({
  resource: `pool_${slot}`,
  requester: `b${slot}`,
  start: START / 1000 + start,
  end: START / 1000 + start + HOUR,
});
const bookAll = (bookings: ReturnType<typeof bookingOf>[]) =>
  book(running.engine, running.credential, { bookings, skipConflicts: false });

function waitForAll(i: number) {
  const items = ['pool', 'door'].map((resource) => ({
    requestType: 'RESERVE' as const,
    resource,
    requester: `t${i}`,
    ttlSeconds: HOUR + i,
  }));
  return transaction(running.engine, running.credential, 'ALL_OR_NONE', items, { wait: WAIT, call: ATTENDED });
}

const waitFor = (from: number, count: number, fields: { ttlSeconds: number; minTtlSeconds?: number; count?: number }) =>
  engineReserve.reserve(
    running.engine,
    running.credential,
    range(count, (j) => ({ resource: 'pool', requester: `w${from + j}`, ...fields, ...WAIT })),
    ATTENDED,
  );

/** Goes on with what a script has left to settle. */
const sweep = () => runScript(running.engine.redis, 'sweep', ...keysOf('sweep', running.credential.tenant), '');
const settled = () =>
  until('the queue', () => check(running.engine, running.credential, [{ resource: 'pool' }]).catch(() => null), 30_000);
const measured = async (title: string, operation: () => Promise<unknown>, before: () => Promise<unknown> = settled) =>
  expect(await times.longest(title, operation, before), title).toBeLessThan(MAX_MS);

describe('of a pool whose slots are all booked', () => {
  let n = 0;
  test('neither a try nor a request that waits', async () => {
    const ask = (fields: object) => () =>
      reserve(running.engine, running.credential, [{ resource: 'pool', requester: `n${n++}`, ...fields }]);
    await measured('a try that fits', ask({ ttlSeconds: 60 }));
    await measured('a try that does not fit', ask({ ttlSeconds: 8 * HOUR }));
    await measured('a try for many', ask({ ttlSeconds: 60, count: 200 }));
    await measured('a request that waits', () => waitFor(2000 + n++, 1, { ttlSeconds: 8 * HOUR }));
  });

  test('neither a release, nor a change of bookings, nor the pieces after them', async () => {
    const { engine, credential } = running;
    let held: Awaited<ReturnType<typeof reserve>> = [];
    const take = async () => {
      await settled();
      held = await reserve(engine, credential, [{ resource: 'pool', requester: 'r', ttlSeconds: 60 }]);
      await settled();
    };
    const release = () => unreserve(engine, credential, held);
    await measured('a release', release, take);
    const late = bookingOf(0, 100 * 24 * HOUR);
    let id = '';
    const cancel = () => cancelBookings(engine, credential, { booking: id }, new Map());
    const makeLate = async () => {
      id = (await bookAll([late])).result.bookings[0]?.booking ?? '';
    };
    const first = async (change: () => Promise<unknown>) => {
      await settled();
      await change();
      await settled();
    };
    await measured('a booking', makeLate, () => first(cancel));
    await measured('a cancel', cancel, () => first(cancel).then(makeLate).then(settled));
    await measured('a piece', sweep, () => first(makeLate).then(cancel));
  });

  test('nor the moments at which slots cease to fit', async () => {
    let seconds = 0;
    const move = () => setClock(running.engine.redis, running.credential.tenant, START + ++seconds * 1000);
    await measured('a moment', sweep, move);
  });
});
