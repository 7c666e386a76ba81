/** A command of conform.ts that takes a while: it can be cancelled, and work under a hold can be finished. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Hold, HoldfastError } from '../../packages/client/src/index.ts';
import type { CommandOf } from './commands.ts';

const LOOK_EVERY_MS = 10;
/** A step that took longer means that the process was stopped. */
const STOPPED_MS = 1000;
const SPIN_MS = 30_000;

class Cancelled extends Error {}
class WorkFailed extends Error {}

export class Task {
  readonly cancelled = new AbortController();
  hold: Hold | undefined;
  readonly tell: (event: string, fields?: object) => void;
  readonly #finished: Promise<void>;
  #finish = () => {};
  #isFinished = false;
  #fails = false;

  /** @param tell writes an event of the command */
  constructor(tell: (event: string, fields?: object) => void) {
    this.tell = tell;
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  cancel(): void {
    this.cancelled.abort(new Cancelled('cancelled'));
    this.finish(false);
  }

  finish(fails: boolean): void {
    this.#fails ||= fails;
    this.#isFinished = true;
    this.#finish();
  }

  /** @throws WorkFailed if it was told to fail */
  async work(how: CommandOf<'using'>['work'], { signal }: Hold): Promise<void> {
    if (how === 'spin') this.#spin(signal);
    else if (how === 'look') await this.#look(signal);
    else await this.#finished;
    if (this.#fails) throw new WorkFailed('the work failed');
  }

  async #look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isFinished) await pause(LOOK_EVERY_MS);
    if (signal.reason instanceof HoldfastError) this.tell('lost');
  }

  /** One look at the clock in each round: a stop may fall between any two. */
  #spin(signal: AbortSignal): void {
    const giveUpAt = Date.now() + SPIN_MS;
    for (let last = Date.now(), now = last; now - last < STOPPED_MS; ) {
      if (now > giveUpAt) throw new WorkFailed('it was not stopped');
      last = now;
      now = Date.now();
    }
    this.tell('woke', { lost: signal.aborted });
  }
}

/** An error as the program writes it. */
export function errorOf(error: unknown): object {
  if (!(error instanceof HoldfastError)) return { code: codeOf(error), message: String(error) };
  const { code, message, cause, status, heldBy, limitType, retryAfterMs } = error;
  const text = cause === undefined ? {} : { cause: codeOf(cause) === 'OTHER' ? String(cause) : codeOf(cause) };
  return { code, message, ...text, status, heldBy, limitType, retryAfterMs };
}

function codeOf(error: unknown): string {
  if (error instanceof HoldfastError) return error.code;
  if (error instanceof WorkFailed) return 'WORK';
  return error instanceof Cancelled ? 'CANCELLED' : 'OTHER';
}
