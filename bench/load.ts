/**
 * Load: a number of clients that repeat their work, one call at a time each.
 */
import { figureOf } from './rounds.ts';
import { cpuSeconds, cpuSecondsOfServer } from './servers.ts';

const ROUND_MS = 900;

/** Does the client's work once. */
export type Client = () => Promise<unknown>;

/** Processes whose CPU time is reported, by name. */
export type Watched = Readonly<Record<string, number>>;

/** The result of a round of load. */
export interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** CPU time by process, in cores. `load` is this process. */
  readonly cpu: Readonly<Record<string, number>>;
}

/** Runs clients for a round. */
export async function load(clients: readonly Client[], watched: Watched = {}, roundMs = ROUND_MS): Promise<Load> {
  const times: number[] = [];
  const used = () => ({
    ...Object.fromEntries(Object.entries(watched).map(([name, pid]) => [name, cpuSecondsOfServer(pid)])),
    load: cpuSeconds(process.pid),
  });
  const before: Readonly<Record<string, number>> = used();
  const start = performance.now();
  await Promise.all(
    clients.map(async (work) => {
      for (let now = performance.now(); now - start < roundMs; ) {
        await work();
        const then = now;
        now = performance.now();
        times.push(now - then);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const cpu = Object.entries(used()).map(([name, now]) => [name, (now - (before[name] ?? 0)) / seconds] as const);
  return { perSecond: times.length / seconds, seconds, ...percentilesOf(times), cpu: Object.fromEntries(cpu) };
}

/** Percentiles of times in ms. */
export function percentilesOf(times: readonly number[]): Pick<Load, 'p50Ms' | 'p99Ms' | 'longestMs'> {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), longestMs: sorted.at(-1) ?? Number.NaN };
}

/** Returns the medians of the rounds' CPU times, by process. */
export function cpuOf(rounds: readonly Load[]): Record<string, number> {
  const names = Object.keys(rounds[0]?.cpu ?? {});
  return Object.fromEntries(names.map((name) => [name, figureOf(rounds.map(({ cpu }) => cpu[name] ?? 0)).median]));
}
