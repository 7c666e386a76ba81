/**
 * A tenant with 1,000,000 reservations: the memory of each, compared with a lock of redlock, the speed of its requests,
 * and the longest command. For that, Redis has a core of its own: its slow log includes the time of other processes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { cpuOf, load } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { newToken } from '../peers/redlock.ts';
import { available, check, cycleAllOrNone, reserveOne } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { longestOfSame, slowest, watchSlow } from '../slowlog.ts';
import { loadOver, resetAll, type Stage, straight, usedMemory } from '../stage.ts';
import type { Table } from '../table.ts';
import { cycleStraight } from './batches.ts';
import { hold, lookThrough, nameOf } from './reads.ts';

const MILLION = 1_000_000;
const TTL_SECONDS = 86_400;
/** Enough to measure the memory of one. */
const LOCKS = 100_000;
const LOCK = `for i = 1, ARGV[1] do redis.call('SET', string.format('held-%07d', i), ARGV[2], 'PX', 86400000) end`;
const UNLOCK = `for i = 1, ARGV[1] do redis.call('DEL', string.format('held-%07d', i)) end`;
/** By then Redis has freed the memory of the million after a reset. */
const FREED_WITHIN_MS = 10_000;

export async function million(stage: Stage, table: Table): Promise<void> {
  const { redis, service, ceiling, tenant } = stage;
  const empty = await usedMemory(stage);
  await redis.eval(LOCK, 0, LOCKS, newToken());
  const lock = figureOf([((await usedMemory(stage)) - empty) / LOCKS]);
  await redis.eval(UNLOCK, 0, LOCKS);

  const subscriber = await openStreams(service.port, tenant.key, 1);
  await watchSlow(redis);
  table.add(await straight(stage, () => longestOfSame(redis)));
  await fill('plain', undefined, 160);
  await resetAll(stage, [tenant]);
  const freedBy = performance.now() + FREED_WITHIN_MS;
  while ((await usedMemory(stage)) > empty + MILLION && performance.now() < freedBy) await pause(100);
  table.add(await slowest(redis, 'reset of 1,000,000, and what it leaves'));
  await fill('with a TTL', TTL_SECONDS, 290);

  const most = new Series(() => loadOver(stage, ceiling, 64, reserveOneOf));
  const reserves = new Series(() => loadOver(stage, service, 64, reserveOneOf));
  await inTurn([most, reserves]);
  table.add({
    what: 'reserve, one tenant, 64 connections, 1,000,000 held',
    figure: reserves.figure(({ perSecond }) => perSecond),
    unit: 'requests/s',
    beside: { what: 'ceiling', figure: most.figure(({ perSecond }) => perSecond) },
    cpu: cpuOf(reserves.samples),
  });
  await redis.slowlog('RESET');
  await straight(stage, async () => {
    await load(Array.from({ length: 4 }, () => () => cycleStraight(stage, 500)));
    await loadOver(stage, service, 1, async (one) => {
      await cycleAllOrNone(one, 500);
      await check(one, nameOf(1));
      await available(one, nameOf(1));
    });
  });
  table.add(await slowest(redis, 'batches of 500, ALL_OR_NONE of 500, single reads, 1,000,000 held'));
  await lookThrough(stage, table, MILLION, 1);
  table.add(await slowest(redis, 'activeReservations and tree, 1,000,000 held'));
  for (const stream of subscriber) stream.destroy();

  async function fill(what: string, ttlSeconds: number | undefined, atMost: number): Promise<void> {
    const before = await usedMemory(stage);
    await hold(stage, MILLION, ttlSeconds);
    table.add({
      what: `memory of a reservation, ${what}, of 1,000,000`,
      figure: figureOf([((await usedMemory(stage)) - before) / MILLION]),
      unit: 'bytes',
      beside: { what: "redlock's key, with a TTL", figure: lock },
      target: { of: 'figure', atMost },
    });
    table.add(await slowest(redis, `batches of 500 up to 1,000,000, ${what}`));
  }
}

const reserveOneOf: Parameters<typeof loadOver>[3] = (connection) => reserveOne(connection);
