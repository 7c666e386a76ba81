/**
 * The calls of the service, one item each. How they travel (batches, retries, connections) is hidden behind this.
 *
 * Lost connections and 503 are repeated with backoff, and 429 after `Retry-After`, until `signal` aborts or `deadline`
 * passes. A reserve that was repeated may answer `ALREADY_HAD` where the first answer, `ACQUIRED`, was lost.
 */
import type { HoldfastError } from '../errors.ts';
import type * as T from '../types.ts';
import type { Retries } from './retries.ts';

/** Options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** `performance.now()` after which it is not repeated any more. The default is the client's: 30 s after the call. */
  readonly deadline?: number | undefined;
  /** Called with the error of each attempt that is repeated. */
  readonly onFailure?: ((error: HoldfastError) => void) | undefined;
}

export interface Answer<Result> {
  readonly result: Result;
  /**
   * `performance.now()` at which the last attempt was sent, the one that was answered. What it began or renewed lasts
   * from then, or later. `ALREADY_HAD`, or a response that was kept for an Idempotency-Key, is of an earlier attempt.
   */
  readonly sentAt: number;
  /** True if an earlier attempt may have been carried out: its response was lost. */
  readonly repeated: boolean;
}

/** Anything but a batch: a transaction, a definition, a list. */
export interface Request extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, encoded: `/Resource/definitions`. */
  readonly path: string;
  /** With a transaction that waits: `pollSeconds`, since the response is held that long. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: unknown;
  /** A field of the response. Without it, the response is a list. */
  readonly has?: string | undefined;
  /** `Idempotency-Key`: for calls that are not safe to repeat without it. */
  readonly idempotencyKey?: string | undefined;
}

/** Called with an answer that arrives after the signal has aborted: what the call got has to be released. */
export type Late<Result> = (answer: Answer<Result>) => void;

export interface Api {
  readonly retries: Retries;
  /**
   * A try, or, with `waitSeconds` in the item, one long poll of `pollSeconds`: `WAITING` means to call again with the
   * same item. With 0 it is not held, and calls of one name are carried out in their order. What a call gets after its
   * signal has aborted is released.
   */
  reserve(item: T.ReserveItem, options?: CallOptions & { pollSeconds?: number }): Promise<Answer<T.ReserveResult>>;
  unreserve(item: T.UnreserveItem, options?: CallOptions): Promise<Answer<T.UnreserveResult>>;
  renew(item: T.RenewItem, options?: CallOptions): Promise<Answer<T.RenewResult>>;
  check(item: T.CheckItem, options?: CallOptions): Promise<Answer<T.CheckResult>>;
  cancel(item: T.CancelItem, options?: CallOptions): Promise<Answer<T.CancelResult>>;
  /**
   * @param late without it, the connection is closed when the signal aborts
   * @throws HoldfastError for any status but 200 and 201; for any call: the reason of the signal, as soon as it aborts
   */
  request<Result>(request: Request, late?: Late<Result>): Promise<Answer<Result>>;
  /**
   * A response whose body is read as it comes (events, long lists). Not repeated.
   * @throws HoldfastError for any status but 200
   */
  open(path: string, options?: CallOptions): Promise<Response>;
}
