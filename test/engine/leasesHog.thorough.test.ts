/**
 * No script keeps Redis busy for long where bookings are in the way of many leases
 * (docs/specification.md#leases-end-in-time).
 */
import { beforeAll, expect, test } from 'vitest';
import { book } from '../../src/engine/bookings.ts';
import { tree } from '../../src/engine/definitions/list.ts';
import { check } from '../../src/engine/reservations/check.ts';
import { registerBookable } from '../support/bookable.ts';
import { setClock } from '../support/clock.ts';
import { all } from '../support/listed.ts';
import { BATCH, range, reserveOf, resources, running, times, useHog } from './hog/hog.ts';
import { MAX_MS } from './hog/scriptTimes.ts';

const NOW = Date.UTC(2050, 0, 1);
/** As many slots as a request passes, if they do not fit. */
const BOOKED = 256;
const HOUR = 3600;

useHog({ readsPerMinute: 1e8 });
beforeAll(async () => {
  const { engine, credential } = running;
  await setClock(engine.redis, credential.tenant, NOW);
  const pools = range(20, (i) => `pool${i}`);
  await registerBookable(running, Object.fromEntries(pools.map((name) => [name, BOOKED])));
  const start = NOW / 1000 + 60;
  for (const pool of pools)
    for (const from of range(4, (i) => 64 * i)) {
      const bookings = range(64, (i) => ({
        resource: `${pool}_${from + i}`,
        requester: `q${from}-${pool}`,
        start,
        end: start + HOUR,
      }));
      const { result } = await book(engine, credential, { bookings, skipConflicts: false });
      expect(result.status).toBe('BOOKED');
    }
}, 120_000);

test.each([
  ['a reserve that does not fit', reserveOf(...resources(1, () => 'pool0', HOUR))],
  ['a batch of reserves that do not fit', reserveOf(...resources(BATCH, () => 'pool0', HOUR))],
  ['a batch of reserves in several pools', reserveOf(...resources(BATCH, (i) => `pool${i % 20}`, HOUR))],
  ['a batch of reserves that fit', reserveOf(...resources(BATCH, () => 'pool0', 30))],
  ['a check of a pool', () => check(running.engine, running.credential, [{ resource: 'pool1' }])],
  [
    'a check of several pools',
    () =>
      check(
        running.engine,
        running.credential,
        range(20, (i) => ({ resource: `pool${i}` })),
      ),
  ],
  ['the tree', () => all(tree(running.engine, running.credential))],
])('%s', async (title, call) => {
  expect(await times.longest(title, () => call().catch(() => null))).toBeLessThan(MAX_MS);
});
