/** One call that waits for its batch, is in flight, or pauses before a repeat. */
import type { HoldfastError } from '../errors.ts';
import type { Answer, CallOptions } from './api.ts';
import { withCause } from './retries.ts';

/** The calls of a client. */
export interface Traffic {
  /** Number of calls, of all kinds, that have no answer yet. */
  calls: number;
}

/** A class, and no closures: there may be thousands of them a second. */
export class Entry<Item, Result> {
  readonly item: Item;
  /** The item as JSON. */
  readonly text: string;
  /** `performance.now()` after which it is not repeated. */
  readonly deadline: number;
  /** Number of times that it was sent. */
  tries = 0;
  /** True if an attempt whose response was lost may have been carried out. */
  repeated = false;
  isSettled = false;
  /** Of the pause before it is repeated, if it is repeated alone. */
  timer: ReturnType<typeof setTimeout> | undefined;
  #failure: HoldfastError | undefined;
  readonly #traffic: Traffic;
  readonly #options: CallOptions;
  readonly #onAnswer: (answer: Answer<Result>) => void;
  readonly #onError: (error: unknown) => void;

  /** @param options its signal rejects the call as soon as it aborts */
  constructor(
    item: Item,
    deadline: number,
    traffic: Traffic,
    options: CallOptions,
    onAnswer: (answer: Answer<Result>) => void,
    onError: (error: unknown) => void,
  ) {
    this.item = item;
    this.text = JSON.stringify(item);
    this.deadline = deadline;
    this.#traffic = traffic;
    traffic.calls++;
    this.#options = options;
    this.#onAnswer = onAnswer;
    this.#onError = onError;
    options.signal?.addEventListener('abort', this);
  }

  resolve(result: Result, sentAt: number): void {
    this.#settle();
    this.#onAnswer({ result, sentAt, repeated: this.repeated });
  }

  reject(error: unknown): void {
    this.#settle();
    this.#onError(error);
  }

  /** An attempt has failed. It is repeated. */
  failed(error: HoldfastError): void {
    this.#failure = error;
    this.#options.onFailure?.(error);
  }

  /** The signal has aborted. */
  handleEvent(): void {
    this.reject(withCause(this.#options.signal?.reason, this.#failure));
  }

  #settle(): void {
    this.isSettled = true;
    this.#traffic.calls--;
    clearTimeout(this.timer);
    this.#options.signal?.removeEventListener('abort', this);
  }
}
