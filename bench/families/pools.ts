/**
 * Pools, leaves of a tree and transactions at 64 connections, compared with plain names, and one name that all
 * connections reserve, compared with redlock.
 */
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { type Client, cpuOf, type Load, load } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { newToken, REDLOCK, startRedlock } from '../peers/redlock.ts';
import { cycle, cycleAllOrNone, freshName, tryCycle } from '../requests.ts';
import { inTurn, Series } from '../rounds.ts';
import { loadOver, register, resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

const CONNECTIONS = 64;
/** Pools of 10 slots each, so that all connections find a slot and most slots are taken. */
const SMALL_POOLS = 8;
const HUGE = 100_000;

export async function pools(stage: Stage, table: Table): Promise<void> {
  const { service, tenant } = stage;
  await register(stage, tenant, [
    ...Array.from({ length: SMALL_POOLS }, (_, i) => ({ name: `small${i}`, capacity: 10 })),
    { name: 'huge', capacity: HUGE },
    { name: 'R', capacity: 1000 },
    { name: 'S', capacity: 1000, treePath: 'R' },
    { name: 'T', capacity: 1000, treePath: 'R>S' },
    { name: 'U', capacity: 1000, treePath: 'R>S>T' },
    { name: 'leaf', capacity: 1000, treePath: 'R>S>T>U' },
  ]);
  for (let held = 0; held < HUGE / 2; held += 500) {
    const items = Array.from({ length: 500 }, () => ({ resource: 'huge', requester: freshName() }));
    await reserve(stage.engine, stage.credential, items);
  }
  const subscriber = await openStreams(service.port, tenant.key, 1);

  const over = (work: Parameters<typeof loadOver>[3]) => new Series(() => loadOver(stage, service, CONNECTIONS, work));
  const of = (name: (i: number) => string) =>
    over((one, i) => cycle(one, 1, { name: () => name(i), requester: `r${i}` }));
  const plain = over((one) => cycle(one));
  const tens = over((one) => cycle(one, 10));
  const small = of((i) => `small${i % SMALL_POOLS}`);
  const huge = of(() => 'huge');
  const leaf = of(() => 'leaf');
  const allOrNone = over((one) => cycleAllOrNone(one, 10));
  await inTurn([plain, small, huge, leaf, tens, allOrNone]);

  const row = (what: string, series: Series<Load>, beside: string, besides: Series<Load>, items = 1) =>
    table.add({
      what: `${what}, ${CONNECTIONS} connections`,
      figure: series.figure(({ perSecond }) => perSecond * items),
      unit: 'cycles/s',
      beside: { what: beside, figure: besides.figure(({ perSecond }) => perSecond * items) },
      cpu: cpuOf(series.samples),
    });
  row('pools of 10, most of them taken', small, 'plain name', plain);
  row('pool of 100,000, half of it taken', huge, 'plain name', plain);
  row('leaf at depth 5, all five pools', leaf, 'plain name', plain);
  row('ALL_OR_NONE of 10', allOrNone, 'batches of 10', tens, 10);
  await contended(stage, table);
  for (const stream of subscriber) stream.destroy();
  await resetAll(stage, [tenant]);
}

/** All connections reserve one name and retry at once if it is taken. */
async function contended(stage: Stage, table: Table): Promise<void> {
  const redlock = await startRedlock(stage.redisServer);
  const byRedlock: readonly Client[] = Array.from({ length: CONNECTIONS }, () => async () => {
    const token = newToken();
    if (!(await redlock.lock('contended', token))) return;
    got++;
    await redlock.unlock('contended', token);
  });
  let got = 0;
  const counted = (measure: () => Promise<Load>) =>
    new Series(async () => {
      got = 0;
      const round = await measure();
      return { ...round, gotPerSecond: got / round.seconds };
    });
  const ours = counted(() =>
    loadOver(stage, stage.service, CONNECTIONS, async (one, i) => {
      if (await tryCycle(one, 'contended', `r${i}`)) got++;
    }),
  );
  const theirs = counted(() => straight(stage, () => load(byRedlock)));
  await inTurn([ours, theirs]);
  await redlock.stop();
  const row = (what: string, of: (round: (typeof ours.samples)[number]) => number, unit: string) =>
    table.add({
      what: `one name, ${CONNECTIONS} clients: ${what}`,
      figure: ours.figure(of),
      unit,
      beside: { what: REDLOCK, figure: theirs.figure(of) },
      cpu: cpuOf(ours.samples),
    });
  row('got and released', ({ gotPerSecond }) => gotPerSecond, 'cycles/s');
  row('tried', ({ perSecond }) => perSecond, 'attempts/s');
}
