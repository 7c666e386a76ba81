/**
 * Hands out things, such as connections, that one caller uses at a time. Callers that find none free queue up, and
 * leave the queue when they stop waiting: their work is not done later, for nobody.
 */
export class Turns<Thing> {
  readonly #free: Thing[];
  readonly #waiting = new Set<(thing: Thing) => void>();

  constructor(things: readonly Thing[]) {
    this.#free = [...things];
  }

  /**
   * Does some work with a thing that nobody else uses meanwhile.
   * @param signal of the caller, aborted when it stops waiting
   * @throws the signal's reason, if it is aborted before there was a thing; whatever work throws
   */
  async take<T>(work: (thing: Thing) => Promise<T>, signal: AbortSignal): Promise<T> {
    // The one used last: the others may stay unconnected.
    const thing = this.#free.pop() ?? (await this.#wait(signal));
    try {
      return await work(thing);
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free.push(thing);
      else next(thing);
    }
  }

  #wait(signal: AbortSignal): Promise<Thing> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(goOn);
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      const goOn = (thing: Thing) => {
        leave();
        resolve(thing);
      };
      this.#waiting.add(goOn);
      signal.addEventListener('abort', giveUp);
    });
  }
}
