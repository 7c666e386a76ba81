/**
 * Two builds of the service in turn, each with a Redis of its own: the CPU time of a reserve in the instance and in
 * Redis, requests a second, and the promises that a reserve makes. Ratios between builds stay the same on a busy
 * machine.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { type Build, buildOf } from '../builds.ts';
import { Connection } from '../client.ts';
import { type Load, load } from '../load.ts';
import { reserveOne } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { pinApart, type RunningServer, startServer } from '../servers.ts';
import { envOf, headOf, makeTenant } from '../stage.ts';
import type { Table, Target } from '../table.ts';
import { until } from '../until.ts';

/** Slices of each build, and how long one takes. */
const SLICES = 41;
const SLICE_MS = 150;
/** Requests of each connection before, so that code is compiled. */
const WARM_UP = 200;
const COUNTED = 50;
const MICROSECONDS = 1e6;
const COUNT_PROMISES = [
  '--enable-source-maps',
  '--import',
  fileURLToPath(new URL('../countPromises.mjs', import.meta.url)),
];

const tenants = Array.from({ length: 1000 }, (_, i) => makeTenant(`tenant-${i}`));
const heads = tenants.map(headOf);
const [oneHead = ''] = heads;

/** The requests, and the goals of a build against the one before. */
const KINDS = [
  { what: 'one tenant, 64 connections', connections: 64, heads: [oneHead], goal: { cpu: 0.68, perSecond: 1.35 } },
  { what: '1,000 tenants, 64 connections', connections: 64, heads, goal: { cpu: 0.68, perSecond: 1.35 } },
  { what: 'one tenant, 1 connection', connections: 1, heads: [oneHead], goal: { perSecond: 1.3 } },
];
const REDIS_CPU = 0.5;
const OWN_PROMISES = 3;

/** A running build. */
interface Side {
  readonly name: string;
  readonly service: RunningServer;
  readonly redis: RedisServer;
}

/** @param checkouts the one that is measured, and the one beside it */
export async function builds(table: Table, say: (line: string) => void, checkouts: readonly [string, string]) {
  const made: Build[] = [];
  const sides: Side[] = [];
  try {
    for (const checkout of checkouts) made.push(buildOf(checkout));
    for (const build of made) sides.push(await startSide(build, say));
    for (const kind of KINDS) await compare(table, kind, sides);
    await comparePromises(table, made, sides);
  } finally {
    for (const { service, redis } of sides) await Promise.all([service.stop(), redis.stop()]);
    for (const build of made) build.remove();
  }
}

async function startSide({ name, main }: Build, say: (line: string) => void): Promise<Side> {
  const redis = await startRedis(say);
  const service = await startServer(main, envOf(redis, tenants));
  pinApart([service.pid], [process.pid, redis.pid]);
  return { name, service, redis };
}

async function compare(table: Table, kind: (typeof KINDS)[number], sides: readonly Side[]): Promise<void> {
  const series: Series<Load>[] = [];
  const opened: Connection[] = [];
  for (const side of sides) {
    // Kept from slice to slice: to open them would cost as much as a fifth of the requests.
    const connections = Array.from({ length: kind.connections }, () => new Connection(side.service.port, oneHead));
    opened.push(...connections);
    for (let done = 0; done < WARM_UP * kind.connections; ) {
      const { perSecond, seconds } = await slice(side, connections, kind.heads);
      done += perSecond * seconds;
    }
    series.push(new Series(() => slice(side, connections, kind.heads)));
  }
  await inTurn(series, SLICES);
  for (const one of opened) one.close();
  const [ours, before] = series;
  const name = sides[1]?.name;
  if (ours === undefined || before === undefined || name === undefined) return;
  const row = (what: string, unit: string, of: (sample: Load) => number, target: Target | undefined) =>
    table.add({
      what: `reserve, ${kind.what}: ${what}`,
      figure: ours.figure(of),
      unit,
      beside: { what: name, figure: before.figure(of) },
      target,
    });
  const cpu = (process: string) => (sample: Load) => ((sample.cpu[process] ?? 0) * MICROSECONDS) / sample.perSecond;
  const { goal } = kind;
  const atMost = (most: number | undefined) => (most ? ({ of: 'ratio', atMost: most } as const) : undefined);
  row('CPU of the instance', 'µs', cpu('server'), atMost(goal.cpu));
  row('CPU of Redis', 'µs', cpu('redis'), atMost(goal.cpu && REDIS_CPU));
  row('requests', 'requests/s', ({ perSecond }) => perSecond, { of: 'ratio', atLeast: goal.perSecond });
}

/** Runs requests for a short time. */
function slice({ service, redis }: Side, connections: readonly Connection[], of: readonly string[]): Promise<Load> {
  let next = 0;
  return load(
    connections.map((one) => () => reserveOne(one, of[next++ % of.length])),
    { server: service.pid, redis: redis.pid },
    SLICE_MS,
  );
}

async function comparePromises(table: Table, made: readonly Build[], sides: readonly Side[]): Promise<void> {
  const counts = [];
  for (const [i, build] of made.entries()) {
    const redis = sides[i]?.redis;
    if (redis !== undefined) counts.push(await countPromises(build, redis));
  }
  const [ours, before] = counts;
  if (ours === undefined || before === undefined) return;
  for (const of of ['ours', 'all'] as const)
    table.add({
      what: `promises for a reserve: ${of === 'ours' ? 'of our own code' : 'all'}`,
      figure: figureOf([ours[of]]),
      unit: 'promises',
      beside: { what: made[1]?.name ?? '', figure: figureOf([before[of]]) },
      target: of === 'ours' ? { of: 'figure', atMost: OWN_PROMISES } : undefined,
    });
}

const Counted = z.object({ all: z.number(), ours: z.number() });

/** Counts the promises of a reserve over one connection, in an instance of its own. */
async function countPromises({ main }: Build, redis: RedisServer): Promise<z.infer<typeof Counted>> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-promises-'));
  const file = join(folder, 'counts.json');
  const server = await startServer(main, { ...envOf(redis, tenants), PROMISES: file }, COUNT_PROMISES);
  const connection = new Connection(server.port, oneHead);
  const reserve = async (times: number) => {
    for (let i = 0; i < times; i++) await reserveOne(connection);
  };
  await reserve(COUNTED);
  process.kill(server.pid, 'SIGUSR2');
  await reserve(COUNTED);
  process.kill(server.pid, 'SIGUSR2');
  await until('the promises are counted', () => existsSync(file), 60_000);
  const { all, ours } = Counted.parse(JSON.parse(readFileSync(file, 'utf8')));
  connection.close();
  await server.stop();
  rmSync(folder, { recursive: true });
  return { all: all / COUNTED, ours: ours / COUNTED };
}
