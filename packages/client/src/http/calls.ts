/** Calls that travel alone: repeated as failures ask for it, given up at once when their signal aborts. */
import { HoldfastError } from '../errors.ts';
import type { Answer, CallOptions, Late } from './api.ts';
import type { Exchange, Outgoing } from './exchange.ts';
import { mayHaveRun } from './failures.ts';
import { attemptMs, delayBefore, pause, withCause } from './retries.ts';

/**
 * For how long an aborted call may still be answered, in ms. Its reservations are then released: the answer may be on
 * its way, and the connection would be lost with it.
 */
const LINGER_MS = 2000;

export interface Call<Result> extends CallOptions {
  readonly outgoing: Omit<Outgoing, 'timeoutMs' | 'signal'>;
  /** ms for which the service may hold the response. */
  readonly heldMs?: number | undefined;
  readonly late?: Late<Result> | undefined;
  /** @throws HoldfastError UNEXPECTED_RESPONSE */
  readonly read: (body: unknown) => Result;
}

/** @throws HoldfastError; the reason of the signal, as soon as it aborts */
export async function carryOut<Result>(exchange: Exchange, call: Call<Result>): Promise<Answer<Result>> {
  const { signal, late } = call;
  if (signal === undefined) return repeat(exchange, call);
  signal.throwIfAborted();
  const closing = new AbortController();
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failure: HoldfastError | undefined;
    const onFailure = (error: HoldfastError) => {
      failure = error;
      call.onFailure?.(error);
    };
    const giveUp = () => {
      reject(withCause(signal.reason, failure));
      timer = setTimeout(() => closing.abort(), late === undefined ? 0 : LINGER_MS);
    };
    signal.addEventListener('abort', giveUp);
    repeat(exchange, { ...call, onFailure }, closing.signal)
      .then((answer) => (signal.aborted ? late?.(answer) : resolve(answer)), reject)
      .finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      });
  });
}

async function repeat<Result>(
  exchange: Exchange,
  { outgoing, heldMs = 0, signal, deadline = exchange.retries.deadline(), onFailure, read }: Call<Result>,
  closing?: AbortSignal,
): Promise<Answer<Result>> {
  let repeated = false;
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      const timeoutMs = heldMs + attemptMs(deadline);
      const { body, sentAt } = await exchange.send({ timeoutMs, signal: closing, ...outgoing });
      return { result: read(body), sentAt, repeated };
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      const delay = signal?.aborted ? undefined : delayBefore(error, tries, deadline);
      if (delay === undefined) throw error;
      repeated ||= mayHaveRun(error);
      onFailure?.(error);
      exchange.retries.tell(error, tries, delay);
      await pause(delay, signal);
    }
  }
}
