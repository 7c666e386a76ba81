/**
 * The figures that the database works out are those of the pure calculation
 * (docs/specification.md#usage-of-resources), on random histories.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginOf, type PastEntry, type PoolsQuery } from '../../src/domain/history.ts';
import { holdersOf } from '../../src/domain/holders.ts';
import { poolsOf } from '../../src/domain/pools.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { type PastFigures, usageOf } from '../../src/domain/usage.ts';
import { keptHistory } from '../../src/engine/history/kept.ts';
import { historyInDatabase } from '../../src/store/history.ts';
import type { Store } from '../../src/store/records.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { addPast, type Past } from '../support/pastEntries.ts';
import { makeStore, type OpenStore, storeTenant } from '../support/tenancy.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.now();
const FRAME = { fromMs: NOW - 50 * HOUR_MS, toMs: NOW - 2 * HOUR_MS - 1234, stepMs: HOUR_MS };

let opened: OpenStore;
let running: RunningEngine;
let store: Store;
beforeAll(async () => {
  [opened, running] = await Promise.all([makeStore(), startEngine()]);
  store = { database: opened.database, redis: running.engine.redis };
});
afterAll(async () => {
  running.stop();
  await opened.close();
});

const random = (most: number) => Math.floor(Math.random() * most);

/** A reservation or a wait, some of which lie before or behind the frame. */
function randomPast(): Past {
  const resource = `pool${random(4)}`;
  const requester = ['ann', 'ci-1', 'ci-2', 'ci-31', 'q7x', '42'][random(6)] ?? 'ann';
  const endedAt = NOW - random(60 * HOUR_MS);
  const waitedMs = random(HOUR_MS);
  if (random(5) === 0) return { resource, requester, endedAt, waitedMs };
  if (random(6) === 0)
    return { resource, requester, reservedAt: endedAt - random(9 * HOUR_MS), endedAt, isOutOfService: true };
  return {
    resource,
    requester,
    ...(random(3) === 0 ? { slots: [`${resource}_0`, `${resource}_1`] } : {}),
    reservedAt: endedAt - random(random(3) === 0 ? 20 * HOUR_MS : HOUR_MS),
    endedAt,
    ...(random(2) === 0 ? { waitedMs } : {}),
  };
}

const rounded = ({ meanHeldMs, meanWaitedMs, ...rest }: PastFigures) => ({
  ...rest,
  meanHeldMs: meanHeldMs === null ? null : Math.round(meanHeldMs),
  meanWaitedMs: meanWaitedMs === null ? null : Math.round(meanWaitedMs),
});

async function fill(): Promise<{ tenant: string; entries: readonly PastEntry[] }> {
  const { tenant } = await storeTenant(store);
  await addPast(store.redis, tenant, Array.from({ length: 600 }, randomPast));
  const { entries } = await historyInDatabase(store, DEFAULT_TIERS).page(tenant, {}, undefined, 10_000);
  expect(entries.length).toBe(600);
  return { tenant, entries };
}

test('of a resource', async () => {
  const { tenant, entries } = await fill();
  const history = historyInDatabase(store, DEFAULT_TIERS);
  for (const resource of ['pool0', 'pool1', 'none']) {
    const own = entries.filter((entry) => entry.resource === resource);
    const [found, wanted] = [await history.usage(tenant, resource, FRAME), usageOf(own, FRAME)];
    expect(rounded(found.total)).toEqual(rounded(wanted.total));
    expect(found.steps.map(rounded)).toEqual(wanted.steps.map(rounded));
  }
});

test('of all resources, with those in force', async () => {
  const { tenant, entries } = await fill();
  const known = new Map(
    ['pool0', 'pool1', 'idle', 'above', 'other'].map((name, i) => [
      name,
      { capacity: i + 1, isTakenAlong: name === 'above' },
    ]),
  );
  const heldNow = [
    { name: 'pool1', heldMs: 5 * HOUR_MS, reservations: 1 },
    { name: 'held', heldMs: 9 * HOUR_MS, reservations: 0 },
  ];
  const outNow = [{ resource: 'pool1', outMs: 3 * HOUR_MS }];
  const query: PoolsQuery = { ...FRAME, known, heldNow, outNow, limit: 3 };
  const { pools: found } = await historyInDatabase(store, DEFAULT_TIERS).pools(tenant, query);
  const wanted = poolsOf(entries, query);
  expect(found.unused).toEqual(['idle', 'other']);
  expect(found.outOfService.map(({ resource }) => resource)).toEqual(
    wanted.outOfService.map(({ resource }) => resource),
  );
  for (const [i, { share }] of found.outOfService.entries())
    expect(share).toBeCloseTo(wanted.outOfService[i]?.share ?? -1, 9);
  expect([found.unused, found.unusedCount]).toEqual([wanted.unused, wanted.unusedCount]);
  for (const list of ['byShare', 'byWaiting'] as const) {
    expect(found[list].length).toBe(3);
    expect(found[list].map(({ resource }) => resource)).toEqual(wanted[list].map(({ resource }) => resource));
    for (const [i, pool] of found[list].entries()) {
      const { share = 0, meanWaitedMs, ...rest } = wanted[list][i] ?? {};
      expect(pool).toMatchObject(rest);
      expect(pool.share).toBeCloseTo(share, 9);
      expect(Math.round(pool.meanWaitedMs ?? -1)).toBe(Math.round(meanWaitedMs ?? -1));
    }
  }
});

test('of who held most, with the runs of a job as one', async () => {
  const { tenant, entries } = await fill();
  const heldNow = [
    { name: 'ci-9', heldMs: 40, reservations: 1 },
    { name: 'newcomer', heldMs: 1e10, reservations: 2 },
  ];
  const query = { ...FRAME, heldNow, limit: 4 };
  const { holders } = await historyInDatabase(store, DEFAULT_TIERS).holders(tenant, query);
  const whole = holders.map((one) => ({ ...one, meanWaitedMs: Math.round(one.meanWaitedMs ?? -1) }));
  expect(whole).toEqual(
    holdersOf(entries, query).map((one) => ({ ...one, meanWaitedMs: Math.round(one.meanWaitedMs ?? -1) })),
  );
  expect(holders.map(({ name, names }) => [name, names])).toContainEqual(['ci-', 4]);
  expect(holders[0]).toEqual({ ...heldNow[1], names: 1, meanWaitedMs: null });
  const hours = await historyInDatabase(store, DEFAULT_TIERS).hours(tenant, FRAME);
  const { total, steps } = usageOf(entries, FRAME);
  expect(hours.heldMs.map(Math.round)).toEqual(steps.map(({ heldMs }) => heldMs));
  const { reservations, p95WaitedMs } = total;
  expect(hours).toMatchObject({ reservations, p95WaitedMs });
  expect(hours.meanWaitedMs).toBeCloseTo(total.meanWaitedMs ?? -1, 3);
});

test('of a tenant without a history are empty', async () => {
  const { tenant } = await storeTenant(store);
  const history = historyInDatabase(store, DEFAULT_TIERS);
  expect(await history.usage(tenant, 'pool0', FRAME)).toEqual(usageOf([], FRAME));
  const query = { ...FRAME, known: new Map(), heldNow: [], outNow: [], limit: 3 };
  expect((await history.pools(tenant, query)).pools).toEqual(poolsOf([], query));
  expect((await history.holders(tenant, query)).holders).toEqual([]);
});

test('of those that overlap a time, page by page, however long they took, with a database and without', async () => {
  const long = Array.from({ length: 12 }, (_, i) => ({
    resource: 'pool0',
    reservedAt: NOW - 2 ** i * HOUR_MS - 50 * HOUR_MS,
    endedAt: NOW - random(60_000),
  }));
  const span = { from: new Date(FRAME.fromMs), beganBefore: new Date(FRAME.toMs) };
  for (const history of [historyInDatabase(store, DEFAULT_TIERS), keptHistory(store.redis)]) {
    const { tenant } = await storeTenant(store);
    await addPast(store.redis, tenant, [...Array.from({ length: 600 }, randomPast), ...long]);
    const all = (await history.page(tenant, {}, undefined, 10_000)).entries;
    expect(all.length).toBe(612);
    for (const { resource, requester } of [
      { resource: 'pool0' },
      { requester: 'ci-1' },
      { resource: 'pool1', requester: 'ann' },
      {},
    ]) {
      const found: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await history.page(tenant, { resource, requester, ...span }, cursor, 40);
        found.push(...page.entries.map(({ number }) => number));
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      const wanted = all.filter(
        (one) =>
          (resource === undefined || one.resource === resource) &&
          (requester === undefined || one.requester === requester) &&
          one.endedAt >= FRAME.fromMs &&
          beginOf(one) < FRAME.toMs,
      );
      expect(found).toEqual(wanted.map(({ number }) => number));
    }
  }
});
