/**
 * Measures the cost of a request for the service and Redis, while 64 connections to each instance reserve and release,
 * one request at a time each.
 */
import { Connection } from '../client.ts';
import { load } from '../load.ts';
import { type Figure, inTurn, Series } from '../rounds.ts';
import type { RunningServer } from '../servers.ts';
import type { Stage } from '../stage.ts';
import type { Line, Panel } from './verdict.ts';

const CONNECTIONS = 64;
const ROUND_MS = 600;
/** A reserve and an unreserve. */
const REQUESTS_A_CYCLE = 2;

/** The cost of a request. */
export interface Cost {
  readonly perSecond: number;
  /** CPU time of Redis, in µs. */
  readonly redisUs: number;
  /** CPU time of all instances, in µs. */
  readonly serverUs: number;
  /** The time of the longest cycle. */
  readonly longestMs: number;
  /** The average number of requests of a script call. */
  readonly requestsPerCall: number;
}

/** A cycle, repeated on each connection, which is passed with its number. */
export type Work = (connection: Connection, number: number) => Promise<unknown>;

/** Differences from the defaults. */
export interface CostOptions {
  /** The tenants of the requests. */
  readonly head?: string;
  /** The instances. Each has the same number of connections. */
  readonly servers?: readonly RunningServer[];
  readonly roundMs?: number;
}

/** Measures a round of cycles. */
export async function costOf(
  stage: Stage,
  work: Work,
  { head = '', servers = [stage.service], roundMs = ROUND_MS }: CostOptions = {},
): Promise<Cost> {
  const opened = servers.flatMap(({ port }) => Array.from({ length: CONNECTIONS }, () => new Connection(port, head)));
  const watched = Object.fromEntries(servers.map(({ pid }) => [String(pid), pid]));
  const before = await redisUse(stage);
  const { perSecond, seconds, cpu, longestMs } = await load(
    opened.map((connection, number) => () => work(connection, number)),
    watched,
    roundMs,
  );
  const after = await redisUse(stage);
  for (const connection of opened) connection.close();
  const requests = perSecond * seconds * REQUESTS_A_CYCLE;
  const serverSeconds = servers.reduce((sum, { pid }) => sum + (cpu[String(pid)] ?? Number.NaN) * seconds, 0);
  return {
    perSecond: perSecond * REQUESTS_A_CYCLE,
    redisUs: ((after.seconds - before.seconds) * 1e6) / requests,
    serverUs: (serverSeconds * 1e6) / requests,
    longestMs,
    requestsPerCall: requests / (after.calls - before.calls),
  };
}

/** Reads the CPU time of Redis so far, and the number of script calls. */
export async function redisUse({ redis }: Stage): Promise<{ seconds: number; calls: number; scriptUs: number }> {
  const info = `${await redis.info('cpu')}${await redis.info('commandstats')}`;
  const of = (pattern: RegExp) => [...info.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0);
  return {
    seconds: of(/used_cpu_sys:([\d.]+)/g) + of(/used_cpu_user:([\d.]+)/g),
    calls: of(/cmdstat_(?:evalsha|fcall):calls=(\d+)/g),
    scriptUs: of(/cmdstat_(?:evalsha|fcall):calls=\d+,usec=(\d+)/g),
  };
}

/** The measurement at one size of a line. */
export interface Sized<Sample> {
  readonly line: string;
  readonly n: number;
  readonly measure: () => Promise<Sample>;
  readonly series: Series<Sample>;
}

/** Something to measure at a size. */
export const sized = <Sample>(line: string, n: number, measure: () => Promise<Sample>): Sized<Sample> => ({
  line,
  n,
  measure,
  series: new Series(measure),
});

/** Measures all in turn, after a warm-up with the first, since idle processes are slow at first. */
export async function measureAll(all: readonly Sized<unknown>[]): Promise<void> {
  await all[0]?.measure();
  await inTurn(all.map(({ series }) => series));
}

/** Makes lines of the measurements. */
export function linesOf<Sample>(all: readonly Sized<Sample>[], of: (sample: Sample) => number): Line[] {
  const names = [...new Set(all.map(({ line }) => line))];
  const figure = ({ series }: Sized<Sample>): Figure => series.figure(of);
  return names.map((name) => ({
    name,
    points: all.filter(({ line }) => line === name).map((one) => ({ n: one.n, figure: figure(one) })),
  }));
}

/** Makes the title of a panel. */
export const THROUGHPUT = 'requests/s';

/** Makes the panels: cost of a request, requests per second, longest wait. */
export const costPanels = (all: readonly Sized<Cost>[]): [redis: Panel, server: Panel, ...shown: Panel[]] => [
  { title: 'Redis CPU, µs a request', isCost: true, lines: linesOf(all, ({ redisUs }) => redisUs) },
  { title: 'server CPU, µs a request', isCost: true, lines: linesOf(all, ({ serverUs }) => serverUs) },
  { title: THROUGHPUT, isCost: false, lines: linesOf(all, ({ perSecond }) => perSecond) },
  { title: 'longest reserve and release, ms', isCost: false, lines: linesOf(all, ({ longestMs }) => longestMs) },
];
