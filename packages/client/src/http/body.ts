/** Reads the bodies of responses, within a time and a length. */
import { unexpected } from '../errors.ts';

/** The longest response in bytes, but for lists and streams. */
export const MAX_BODY = 64 * 1024 * 1024;

/** Closes a request after some ms, or with a signal, until it is disposed. */
export class Closing {
  /** The ms, if they have passed. */
  timedOut: number | undefined;
  #isClosed = false;
  #whenClosed = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #signal: AbortSignal | undefined;
  readonly #ms: number;
  readonly #other: AbortSignal | undefined;

  constructor(ms: number, other?: AbortSignal) {
    this.#ms = ms;
    this.#other = other;
    this.start();
    other?.addEventListener('abort', this);
    if (other?.aborted) this.handleEvent();
  }

  /** Counts the ms from now. */
  start(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.timedOut = this.#ms;
      this.handleEvent();
    }, this.#ms);
  }

  /** Stops counting. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Runs a function as it closes; at once, if it has. */
  whenClosed(run: () => void): void {
    this.#whenClosed = run;
    if (this.#isClosed) run();
  }

  /** A signal that aborts as it closes, instead of `whenClosed`. It is made when it is needed: it costs much CPU. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController();
      this.#signal = controller.signal;
      this.whenClosed(() => controller.abort());
    }
    return this.#signal;
  }

  /** The other signal has aborted. */
  handleEvent(): void {
    this.#isClosed = true;
    this.#whenClosed();
  }

  dispose(): void {
    this.stop();
    this.#other?.removeEventListener('abort', this);
  }
}

/**
 * Yields the body as text. Runtimes forget at times that the signal of a request closes its response, too: this does
 * it.
 * @param isLong whether it may have any length. The time of `closing` is the longest pause within it, then.
 * @throws HoldfastError UNEXPECTED_RESPONSE if it is too long; as the connection is lost, or closed
 */
export async function* textIn(
  { body }: Response,
  closing: Closing,
  isLong: boolean,
): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const close = () => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  const { signal } = closing;
  signal.addEventListener('abort', close);
  try {
    for (let size = 0; size <= MAX_BODY; ) {
      signal.throwIfAborted();
      if (isLong) closing.start();
      const { value } = await reader.read();
      signal.throwIfAborted();
      if (value === undefined) return;
      if (isLong) closing.stop();
      else size += value.length;
      yield decoder.decode(value, { stream: true });
    }
    throw unexpected();
  } finally {
    close();
  }
}

/** Reads the whole body. @throws as textIn */
export async function textOf(response: Response, closing: Closing, isLong = false): Promise<string> {
  let text = '';
  for await (const part of textIn(response, closing, isLong)) text += part;
  return text;
}
