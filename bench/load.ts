/**
 * Load: so many clients, each of which does its work again and again, the next when the last is done.
 */
import { figureOf } from './rounds.ts';
import { cpuSeconds } from './servers.ts';

const ROUND_MS = 900;

/** Does its work once. */
export type Client = () => Promise<unknown>;

/** Processes whose CPU is told, by what they are called. */
export type Watched = Readonly<Record<string, number>>;

/** A round of load. */
export interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Shares of a core that were used, by process: `load` is this one. */
  readonly cpu: Readonly<Record<string, number>>;
}

/** Has clients work for a round. */
export async function load(clients: readonly Client[], watched: Watched = {}, roundMs = ROUND_MS): Promise<Load> {
  const times: number[] = [];
  const pids = Object.entries({ ...watched, load: process.pid });
  const before = pids.map(([, pid]) => cpuSeconds(pid));
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
  const cpu = pids.map(([name, pid], i) => [name, (cpuSeconds(pid) - (before[i] ?? 0)) / seconds] as const);
  return { perSecond: times.length / seconds, seconds, ...percentilesOf(times), cpu: Object.fromEntries(cpu) };
}

/** Of times in ms. */
export function percentilesOf(times: readonly number[]): Pick<Load, 'p50Ms' | 'p99Ms' | 'longestMs'> {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), longestMs: sorted.at(-1) ?? Number.NaN };
}

/** Medians of the shares of a core that rounds used, by process. */
export function cpuOf(rounds: readonly Load[]): Record<string, number> {
  const names = Object.keys(rounds[0]?.cpu ?? {});
  return Object.fromEntries(names.map((name) => [name, figureOf(rounds.map(({ cpu }) => cpu[name] ?? 0)).median]));
}
