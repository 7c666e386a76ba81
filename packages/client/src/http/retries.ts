/** When a call that failed is sent again: full jitter, `Retry-After`, deadlines, signals. */
import { type Duration, msOf } from '../durations.ts';
import type { HoldfastError } from '../errors.ts';
import type { Retry } from '../types.ts';
import { isRetryable } from './failures.ts';

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 2000;
const MAX_ATTEMPT_MS = 10_000;
const MIN_ATTEMPT_MS = 1000;

/** Options of repeats: the time for which calls are repeated, and who hears of it. */
export class Retries {
  readonly #forMs: number;
  readonly #onRetry: ((retry: Retry) => void) | undefined;

  /** @throws HoldfastError INVALID_OPTION */
  constructor(retryFor: Duration = '30s', onRetry?: (retry: Retry) => void) {
    this.#forMs = msOf(retryFor, 'retryFor');
    this.#onRetry = onRetry;
  }

  /** `performance.now()` after which a call that begins now is not repeated, if it does not say. */
  deadline(): number {
    return performance.now() + this.#forMs;
  }

  /** Tells the user of a retry, in an iteration of its own: what the function throws must not break the retry. */
  tell(error: HoldfastError, attempt: number, delayMs: number): void {
    const onRetry = this.#onRetry;
    if (onRetry !== undefined) queueMicrotask(() => onRetry({ error, attempt, delayMs }));
  }
}

/**
 * @param reason why a call was aborted
 * @param cause the last error of the call, if it had failed. The reason gets it as its cause, unless it has one.
 * @returns the reason
 */
export function withCause(reason: unknown, cause: HoldfastError | undefined): unknown {
  if (cause !== undefined && reason instanceof Error && reason.cause === undefined)
    Reflect.defineProperty(reason, 'cause', { value: cause, configurable: true, writable: true });
  return reason;
}

/** Timeout of an attempt, in ms: a third of the time left, so that there is time for two more. */
export const attemptMs = (deadline: number): number =>
  Math.min(MAX_ATTEMPT_MS, Math.max(MIN_ATTEMPT_MS, (deadline - performance.now()) / 3));

/**
 * @param tries how often it was sent, at least once
 * @returns ms until it is sent again; undefined: not at all
 */
export function delayBefore(error: HoldfastError, tries: number, deadline: number): number | undefined {
  const left = deadline - performance.now();
  if (left <= 0 || !isRetryable(error)) return undefined;
  const jitter = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
  // With 429 and 409 the service says when. With 503 its time is a guess, and the same for all callers.
  const { status, retryAfterMs = 0 } = error;
  if (status !== 429 && status !== 409) return Math.min(jitter, left);
  return retryAfterMs > left ? undefined : retryAfterMs + jitter;
}

/** Resolves after some ms, or as soon as the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
