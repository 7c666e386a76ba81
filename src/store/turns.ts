/**
 * Shares a fixed set of items, such as connections, among callers: one caller uses an item at a time. Callers that find
 * none free queue up, and leave the queue when they stop waiting, so that no work is done for callers that have gone.
 */
export class Turns<Item> {
  readonly #free: Item[];
  readonly #queue = new Set<(item: Item) => void>();

  constructor(items: readonly Item[]) {
    this.#free = [...items];
  }

  /**
   * Runs `work` with an item that nobody else uses meanwhile.
   * @param signal aborted when the caller stops waiting
   * @throws the signal's reason, if it is aborted before an item is free; the errors of `work`
   */
  async take<T>(work: (item: Item) => Promise<T>, signal: AbortSignal): Promise<T> {
    // Prefers the item that was used last: connections that are not needed are never made.
    const item = this.#free.pop() ?? (await this.#wait(signal));
    try {
      return await work(item);
    } finally {
      const [next] = this.#queue;
      if (next === undefined) this.#free.push(item);
      else next(item);
    }
  }

  #wait(signal: AbortSignal): Promise<Item> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.delete(proceed);
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      const proceed = (item: Item) => {
        leave();
        resolve(item);
      };
      this.#queue.add(proceed);
      signal.addEventListener('abort', giveUp);
    });
  }
}
