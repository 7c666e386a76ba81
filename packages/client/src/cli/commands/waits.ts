/** Messages of `run` and `reserve` about a wait: it waits for the `run` around it, or it is over. */
import { HoldfastError } from '../../errors.ts';
import type { Holdfast } from '../../holdfast.ts';
import type { Waiting } from '../../types.ts';
import type { Call } from '../command.ts';
import { span } from '../moments.ts';
import { say } from '../output.ts';
import { inTheWayText, notFreeText, notReadyText } from '../reason.ts';
import { Position } from '../run/position.ts';
import type { Wish } from './reserving.ts';

/** Timeout of the question who is in the way, in ms. */
const QUESTION_MS = 1000;

/** The resources that the `run` around this command holds. */
const heldAround = (): readonly string[] =>
  process.env.HOLDFAST_RUN === undefined ? [] : (process.env.HOLDFAST_RESOURCE ?? '').split('\n');

/** The position in the queue, told to people. Silent with `--quiet`. */
export class Wait {
  readonly #position: Position;
  readonly #wish: Wish;
  readonly #call: Call;
  readonly #started = performance.now();
  #isWarned = false;
  #last: Waiting | undefined;

  constructor(wish: Wish, call: Call) {
    this.#position = new Position(wish.title);
    this.#wish = wish;
    this.#call = call;
  }

  /** To be called when it is over. */
  stop(): void {
    this.#position.stop();
  }

  /** Gets each position. */
  get onWaiting(): Position['update'] | undefined {
    if (this.#call.args.has('quiet')) return undefined;
    return (waiting) => {
      this.#warn();
      this.#last = waiting;
      this.#position.update(waiting);
    };
  }

  /** The error; or one that says who is in the way, and whether a wait is over, if that is why. */
  async explain(client: Holdfast, error: unknown): Promise<unknown> {
    if (!(error instanceof HoldfastError) || !/^(ALREADY_HELD|NOT_AVAILABLE)$/.test(error.code)) return error;
    const { wait = 0 } = this.#wish.options;
    const isOver = typeof wait === 'number' && wait > 0 && performance.now() - this.#started >= wait;
    const { code, heldBy } = error;
    if (!isOver && heldBy?.requester != null) return error;
    const over = isOver ? `${this.#wish.title}: the wait of ${span(wait)} is over` : '';
    const why = await this.#why(client);
    if (why === undefined) return isOver ? new HoldfastError(code, over, { heldBy }) : error;
    return new HoldfastError(code, isOver ? `${over}; ${why}` : why);
  }

  #warn(): void {
    const around = this.#wish.names.find((name) => heldAround().includes(name));
    if (around !== undefined && !this.#isWarned)
      say(`${around} is held by the \`holdfast run\` around this command: it may wait for itself`);
    this.#isWarned = true;
  }

  /** Who is in the way of the first resource that is not free, if the service says so at once. */
  async #why(client: Holdfast): Promise<string | undefined> {
    const signal = AbortSignal.any([this.#call.signal, AbortSignal.timeout(QUESTION_MS)]);
    const { names } = this.#wish;
    const results = await client.check(names, { signal }).catch(() => []);
    for (const result of results) {
      const { resource, reason, waiting } = result;
      if (reason !== undefined) return notReadyText(result) || notFreeText(resource, reason, waiting);
    }
    // A match cannot be asked about.
    const { reason } = (this.#wish.options.match && this.#last) || {};
    return reason && (inTheWayText(reason) || undefined);
  }
}
