/** Reads the bodies of responses, within a time and a length. */
import { unexpected } from '../errors.ts';

/** The longest response in bytes, but for lists and streams. */
export const MAX_BODY = 64 * 1024 * 1024;

export type Closing = ReturnType<typeof closeAfter>;

/** A signal that aborts after some ms, or with another one, until it is disposed. */
export function closeAfter(ms: number, other?: AbortSignal) {
  const controller = new AbortController();
  const close = () => controller.abort();
  let timedOut: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(() => {
      timedOut = ms;
      close();
    }, ms);
  };
  start();
  other?.addEventListener('abort', close);
  if (other?.aborted) close();
  return {
    signal: controller.signal,
    /** Counts the ms from now. */
    start,
    /** Stops counting. */
    stop,
    /** The ms, if they have passed. */
    get timedOut() {
      return timedOut;
    },
    dispose() {
      stop();
      other?.removeEventListener('abort', close);
    },
  };
}

/**
 * Yields the body as text. Runtimes forget at times that the signal of a request closes its response, too: this does
 * it.
 * @param isLong whether it may have any length. The time of `closing` is the longest pause within it, then.
 * @throws HoldfastError UNEXPECTED_RESPONSE if it is too long; as the connection is lost, or closed
 */
export async function* textIn(
  { body }: Response,
  { signal, start, stop }: Closing,
  isLong: boolean,
): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const close = () => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  signal.addEventListener('abort', close);
  try {
    for (let size = 0; size <= MAX_BODY; ) {
      signal.throwIfAborted();
      if (isLong) start();
      const { value } = await reader.read();
      signal.throwIfAborted();
      if (value === undefined) return;
      if (isLong) stop();
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
