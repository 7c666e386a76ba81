/** One call that waits for its batch, is in flight, or pauses before a repeat. */
import type { Answer } from './api.ts';

/** A class, and no closures: there may be thousands of them a second. */
export class Entry<Item, Result> {
  readonly item: Item;
  /** The item as JSON. */
  readonly text: string;
  /** `performance.now()` after which it is not repeated. */
  readonly deadline: number;
  /** How often it was sent. */
  tries = 0;
  /** Whether an attempt whose response was lost may have been carried out. */
  repeated = false;
  isSettled = false;
  /** Of the pause before it is repeated, if it is repeated alone. */
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAnswer: (answer: Answer<Result>) => void;
  readonly #onError: (error: unknown) => void;

  /** @param signal rejects the call as soon as it aborts */
  constructor(
    item: Item,
    deadline: number,
    signal: AbortSignal | undefined,
    onAnswer: (answer: Answer<Result>) => void,
    onError: (error: unknown) => void,
  ) {
    this.item = item;
    this.text = JSON.stringify(item);
    this.deadline = deadline;
    this.#signal = signal;
    this.#onAnswer = onAnswer;
    this.#onError = onError;
    signal?.addEventListener('abort', this);
  }

  resolve(result: Result, sentAt: number): void {
    this.#settle();
    this.#onAnswer({ result, sentAt, repeated: this.repeated });
  }

  reject(error: unknown): void {
    this.#settle();
    this.#onError(error);
  }

  /** The signal has aborted. */
  handleEvent(): void {
    this.reject(this.#signal?.reason);
  }

  #settle(): void {
    this.isSettled = true;
    clearTimeout(this.timer);
    this.#signal?.removeEventListener('abort', this);
  }
}
