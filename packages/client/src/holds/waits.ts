/** The waits of a client that are under way: `cancel` ends them wherever they are, also between two of their calls. */
import { HoldfastError } from '../errors.ts';

/** One wait, from before its first call until it has got something, or nothing of it is left. */
export class Wait {
  /** Who waits. The next number may be tried: `<requester>#2`. */
  requester = '';
  /** True once `cancel` has ended it. */
  isCancelled = false;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
  readonly #names: readonly string[];
  readonly #title: string;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #open: Set<Wait>;
  #resolve = () => {};

  /**
   * @param open the waits that are under way
   * @param title for messages
   * @param names the resources that it waits for, and the texts of its matches
   * @param outer the signal of the caller
   */
  constructor(open: Set<Wait>, title: string, names: readonly string[], outer: AbortSignal | undefined) {
    this.#title = title;
    this.#names = names;
    this.#outer = outer;
    this.#open = open;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    open.add(this);
    outer?.addEventListener('abort', this);
  }

  /** Aborts when the caller's does; with NOT_AVAILABLE when `cancel` ends the wait. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isOf(name: string, requesters: readonly string[]): boolean {
    return this.#names.includes(name) && requesters.includes(this.requester);
  }

  /** The caller has given up. */
  handleEvent(): void {
    this.#controller.abort(this.#outer?.reason);
  }

  cancel(): void {
    this.isCancelled = true;
    this.#controller.abort(new HoldfastError('NOT_AVAILABLE', `${this.#title}: NOT_AVAILABLE: cancelled`));
  }

  end(): void {
    this.#outer?.removeEventListener('abort', this);
    this.#open.delete(this);
    this.#resolve();
  }
}

export class Waits {
  readonly #open = new Set<Wait>();

  /** As the constructor of Wait. Call `end` when it is over. */
  begin(title: string, names: readonly string[], outer: AbortSignal | undefined): Wait {
    return new Wait(this.#open, title, names, outer);
  }

  /**
   * Ends the waits of requesters for a name.
   * @returns whether there was one, as soon as nothing of them is left
   */
  async cancel(name: string, requesters: readonly string[]): Promise<boolean> {
    const meant = [...this.#open].filter((wait) => wait.isOf(name, requesters));
    for (const wait of meant) wait.cancel();
    await Promise.all(meant.map(({ ended }) => ended));
    return meant.length > 0;
  }
}
