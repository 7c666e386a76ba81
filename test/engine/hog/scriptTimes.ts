/**
 * Measures the time of Redis for the scripts that an operation calls, corrected for the speed of the machine.
 */
import { z } from 'zod';
import type { RedisClient } from '../../../src/redis/client.ts';

/**
 * The limit of a script, in ms of a quiet core: three times as much as any should take. Beside other tests, what looks
 * at much memory takes up to twice as long, also by the yardstick.
 */
export const MAX_MS = 30;
/** Time that the yardstick takes on a quiet core. Like scripts, it allocates: a busy machine slows that down most. */
const YARDSTICK_MS = 5;
const YARDSTICK = `local t = {} for i = 1, 8000 do t[i % 3000 + 1] = { i, 'name-' .. i } end
local n = 0 for i = 1, 3000 do n = n + #string.rep(t[i][2], 2) end return n`;
/** How often an operation runs that takes longer than the limit: others may have kept Redis from its core. */
const MAX_RUNS = 10;
/** Of the log, which also has each command that a script ran. */
const MAX_ENTRIES = 50_000;

const SlowLog = z.array(z.tuple([z.number(), z.number(), z.number(), z.array(z.string())]).rest(z.unknown()));

export class ScriptTimes {
  readonly #redis: RedisClient;
  readonly #figures: [string, number][] = [];

  private constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Makes Redis log its commands. */
  static async of(redis: RedisClient): Promise<ScriptTimes> {
    await redis.config('SET', 'slowlog-log-slower-than', '0');
    await redis.config('SET', 'slowlog-max-len', MAX_ENTRIES);
    return new ScriptTimes(redis);
  }

  /**
   * Runs an operation until it keeps to the limit, a few times at most. Returns how long Redis worked on the longest of
   * its scripts, each in the best of the runs, in ms of a quiet core.
   */
  async longest(
    title: string,
    operation: () => Promise<unknown>,
    before: () => Promise<unknown> = async () => {},
  ): Promise<number> {
    let best: number[] = [];
    for (let i = 0; i === 0 || (i < MAX_RUNS && Math.max(...best) >= MAX_MS); i++) {
      await before();
      const found = await this.#scriptsOf(operation);
      const slowness = await this.#slowness();
      const scripts = found.map((ms) => ms / slowness);
      if (scripts.length === best.length) best = best.map((ms, j) => Math.min(ms, scripts[j] ?? ms));
      else if (i === 0 || Math.max(...scripts) < Math.max(...best)) best = scripts;
    }
    if (best.length === 0) throw new Error(`${title}: Redis has run no script`);
    const ms = Math.max(...best);
    this.#figures.push([title, ms]);
    return ms;
  }

  /** Converts a time that this machine has just taken into that of a quiet core. */
  async onQuietCore(ms: number): Promise<number> {
    const found = [await this.#slowness(), await this.#slowness(), await this.#slowness()];
    return ms / (found.sort((a, b) => a - b)[1] ?? 1);
  }

  /** Returns how often as long as a quiet core this machine takes now; 1 at least. */
  async #slowness(): Promise<number> {
    const [ms = 0] = await this.#scriptsOf(() => this.#redis.eval(YARDSTICK, 0));
    return Math.max(1, ms / YARDSTICK_MS);
  }

  /** A line for each operation measured, in ms of a quiet core. */
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
