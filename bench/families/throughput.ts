/**
 * Single reserves, and reserve-release cycles, at 1, 64 and 256 connections, of one tenant and of a thousand, compared
 * with the ceiling. And the latency of a single caller, compared with the ceiling's.
 */
import { cpuOf, type Load, load } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { cycle, reserveOne } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { headOf, loadOver, resetAll, type Stage, straight } from '../stage.ts';
import type { Table, Target } from '../table.ts';

export async function throughput(stage: Stage, table: Table): Promise<void> {
  const { service, ceiling, bareNode, tenant, tenants } = stage;
  const heads = tenants.map(headOf);
  let next = 0;
  const anyHead = () => heads[next++ % heads.length];
  const over = (server: typeof service, connections: number, work: Parameters<typeof loadOver>[3]) =>
    new Series(() => loadOver(stage, server, connections, work));
  const ceilingAt = (connections: number) => over(ceiling, connections, (one) => reserveOne(one));
  const manyAt = (connections: number) => over(service, connections, (one) => reserveOne(one, anyHead()));
  const row = (what: string, series: Series<Load>, requests: number, most?: Series<Load>, target?: Target) =>
    table.add({
      what,
      figure: series.figure(({ perSecond }) => perSecond * requests),
      unit: 'requests/s',
      beside: most && { what: 'ceiling', figure: most.figure(({ perSecond }) => perSecond) },
      target,
      cpu: cpuOf(series.samples),
    });

  const subscriber = await openStreams(service.port, tenant.key, 1);
  for (const connections of [1, 64, 256]) {
    const most = ceilingAt(connections);
    const bare = over(bareNode, connections, (one) => reserveOne(one));
    const reserves = over(service, connections, (one) => reserveOne(one));
    const cycles = over(service, connections, (one) => cycle(one));
    const reservesOfMany = manyAt(connections);
    const cyclesOfMany = over(service, connections, (one) => cycle(one, 1, { head: anyHead() }));
    const pings = new Series(() => straight(stage, () => load([() => stage.redis.ping()])));
    await inTurn([bare, most, reserves, cycles, reservesOfMany, cyclesOfMany, ...(connections === 1 ? [pings] : [])]);
    await resetAll(stage, [tenant, ...tenants]);

    const at = `${connections} connection${connections === 1 ? '' : 's'}`;
    const aim = (atLeast: number) => (connections === 64 ? ({ of: 'ratio', atLeast } as const) : undefined);
    row(`node:http without a framework, ${at}`, bare, 1);
    row(`ceiling (bare Hono), ${at}`, most, 1);
    row(`reserve, one tenant, ${at}`, reserves, 1, most, aim(0.65));
    row(`reserve, 1,000 tenants, ${at}`, reservesOfMany, 1, most, aim(0.55));
    row(`reserve + unreserve, one tenant, ${at}`, cycles, 2, most);
    row(`reserve + unreserve, 1,000 tenants, ${at}`, cyclesOfMany, 2, most);
    if (connections > 1) continue;
    const [one = [], three = []] = [most, pings].map(({ samples }) => samples.map(({ p50Ms }) => p50Ms));
    table.add({
      what: 'reserve, one tenant, 1 connection: p50',
      figure: reserves.figure(({ p50Ms }) => p50Ms),
      unit: 'ms',
      beside: { what: 'ceiling + 3 PINGs', figure: figureOf(one.map((ms, i) => ms + 3 * (three[i] ?? 0))) },
      target: { of: 'ratio', atMost: 1 },
    });
  }
  await watchedByAll();
  for (const stream of subscriber) stream.destroy();

  /** The same, with an open event stream for each of the thousand. */
  async function watchedByAll(): Promise<void> {
    const streams = await Promise.all(tenants.map(({ key }) => openStreams(service.port, key, 1)));
    const [most, reserves] = [ceilingAt(64), manyAt(64)];
    await inTurn([most, reserves]);
    row('reserve, 1,000 tenants, a stream of each, 64 connections', reserves, 1, most);
    for (const stream of streams.flat()) stream.destroy();
    await resetAll(stage, tenants);
  }
}
