/** What `run` and `reserve` say about a wait: that it waits for the `run` around it, and that it is over. */
import { HoldfastError } from '../../errors.ts';
import type { Holdfast } from '../../holdfast.ts';
import type { HeldBy } from '../../types.ts';
import type { Call } from '../command.ts';
import { say } from '../output.ts';
import { Position } from '../run/position.ts';
import { span } from '../times.ts';
import type { Wish } from './reserving.ts';

/** How long the question who holds a resource may take, in ms. */
const QUESTION_MS = 1000;

/** What the `run` around this command holds. */
const heldAround = (): readonly string[] =>
  process.env.HOLDFAST_RUN === undefined ? [] : (process.env.HOLDFAST_RESOURCE ?? '').split('\n');

/** The position in the queue, told to people. Silent with `--quiet`. */
export class Wait {
  readonly #position: Position;
  readonly #wish: Wish;
  readonly #call: Call;
  readonly #started = performance.now();
  #isWarned = false;

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
      this.#position.update(waiting);
    };
  }

  /** The error, or, if a wait has run out, one that says so, and who holds the resource. */
  async explain(client: Holdfast, error: unknown): Promise<unknown> {
    const { wait = 0 } = this.#wish.options;
    const waited = performance.now() - this.#started;
    if (!(error instanceof HoldfastError) || !/^(ALREADY_HELD|NOT_AVAILABLE)$/.test(error.code)) return error;
    if (typeof wait !== 'number' || wait === 0 || waited < wait) return error;
    const heldBy = error.heldBy ?? (await this.#holder(client));
    return new HoldfastError('NOT_AVAILABLE', `${this.#wish.title}: the wait of ${span(wait)} is over`, { heldBy });
  }

  #warn(): void {
    const around = this.#wish.names.find((name) => heldAround().includes(name));
    if (around !== undefined && !this.#isWarned)
      say(`${around} is held by the \`holdfast run\` around this command: it may wait for itself`);
    this.#isWarned = true;
  }

  /** Who holds one of the resources, if the service says so at once. */
  async #holder(client: Holdfast): Promise<HeldBy | undefined> {
    const signal = AbortSignal.any([this.#call.signal, AbortSignal.timeout(QUESTION_MS)]);
    const results = await client.check(this.#wish.names, { signal }).catch(() => []);
    const held = results.find(({ reserved }) => reserved);
    if (held === undefined) return undefined;
    const { resource, requester, expiresAt, note = null } = held;
    return { resource, requester, expiresAt, note, since: null };
  }
}
