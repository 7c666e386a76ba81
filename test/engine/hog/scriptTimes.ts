/**
 * Measures the time of Redis for the scripts that an operation calls, corrected for the speed of the machine.
 */
import { z } from 'zod';
import type { RedisClient } from '../../../src/redis/client.ts';

/** Time that the yardstick takes on a quiet core. */
const YARDSTICK_MS = 5;
const YARDSTICK = 'local x = 0 for i = 1, 500000 do x = x + i % 7 end return x';
const RUNS = 5;
/** Of the log, which also has each command that a script ran. */
const MAX_ENTRIES = 50_000;

const SlowLog = z.array(z.tuple([z.number(), z.number(), z.number(), z.array(z.string())]).rest(z.unknown()));

export class ScriptTimes {
  readonly #redis: RedisClient;
  readonly #figures: [string, number][] = [];
  #slowness = 1;

  private constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Makes Redis log its commands, and measures how slow the machine is. */
  static async of(redis: RedisClient): Promise<ScriptTimes> {
    await redis.config('SET', 'slowlog-log-slower-than', '0');
    await redis.config('SET', 'slowlog-max-len', MAX_ENTRIES);
    const times = new ScriptTimes(redis);
    times.#slowness = Math.max(1, (await times.longest('yardstick', () => redis.eval(YARDSTICK, 0))) / YARDSTICK_MS);
    return times;
  }

  /**
   * Runs an operation a few times. Returns how long Redis worked on the longest of its scripts, each in the best of the
   * runs, in ms of a quiet core.
   */
  async longest(
    title: string,
    operation: () => Promise<unknown>,
    before: () => Promise<unknown> = async () => {},
  ): Promise<number> {
    let best: number[] = [];
    for (let i = 0; i < RUNS; i++) {
      await before();
      const scripts = await this.#scriptsOf(operation);
      if (scripts.length === best.length) best = best.map((ms, j) => Math.min(ms, scripts[j] ?? ms));
      else if (i === 0 || Math.max(...scripts) < Math.max(...best)) best = scripts;
    }
    if (best.length === 0) throw new Error(`${title}: Redis has run no script`);
    const ms = Math.max(...best);
    this.#figures.push([title, ms]);
    return this.onQuietCore(ms);
  }

  /** Converts a time on this machine into that on a quiet core. */
  onQuietCore(ms: number): number {
    return ms / this.#slowness;
  }

  /** A line for each operation measured, in ms of this machine. */
  report(): string {
    return `${this.#figures.map(([title, ms]) => `${ms.toFixed(2).padStart(8)} ms  ${title}`).join('\n')}\n`;
  }

  /** Runs an operation. Returns how long Redis worked on each script that it called, in order, in ms. */
  async #scriptsOf(operation: () => Promise<unknown>): Promise<number[]> {
    await this.#redis.slowlog('RESET');
    const before = await this.cpuMs();
    await operation().catch((error: unknown) => error);
    const cpu = (await this.cpuMs()) - before;
    const entries = SlowLog.parse(await this.#redis.slowlog('GET', MAX_ENTRIES));
    const scripts = entries.filter(([, , , [command = '']]) => /^(?:EVAL|FCALL)/i.test(command));
    // Other processes of the machine may have kept a script waiting: it has not worked longer than Redis has.
    return scripts.map(([, , microseconds]) => Math.min(cpu, microseconds / 1000));
  }

  /** CPU time of Redis's main thread so far, in ms. */
  async cpuMs(): Promise<number> {
    const cpu = await this.#redis.info('cpu');
    const seconds = (kind: string) => Number(new RegExp(`used_cpu_${kind}_main_thread:(.*)`).exec(cpu)?.[1]);
    return 1000 * (seconds('user') + seconds('sys'));
  }
}
