/**
 * Runs commands on a client of Redis. They are repeated while a primary is being replaced, and fail in time for callers
 * to get their 503 within 2 s.
 */
import { HoldfastError } from '../domain/errors.ts';

/** How long send() repeats a command before it fails. */
const PATIENCE_MS = 1500;
export const RETRY_EVERY_MS = 50;

/** Errors by which Redis or ioredis says that a command was not carried out, and that may pass soon. */
const NOT_RUN =
  /^(Too many Cluster redirections\. Last error: \w+: )?(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|UNBLOCKED|NOSCRIPT)\b|^Stream isn't writeable|^Cluster isn't ready|^Failed to refresh slots|^None of startup nodes|^All sentinels are unreachable|ECONNREFUSED/;

/** Errors of a connection that was lost: the command may have run. */
const LOST =
  /^Connection is closed|^Command aborted|^Too many Cluster redirections|^Socket timeout|ECONN|EPIPE|ETIMEDOUT|Reached the max retries per request/;

/** Errors that will not pass at once: Redis cannot serve, or does not serve us. A script met keys that have moved. */
const AWAY = /^(OOM|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b|attempted to access a non local key/;

/** Whether an error says that Redis cannot be reached, or cannot serve: the fault is not in what was asked. */
export const isAway = (error: unknown): boolean =>
  error instanceof HoldfastError
    ? error.code === 'unavailable'
    : error instanceof Error && [NOT_RUN, LOST, AWAY].some((away) => away.test(error.message));

/** How often a connection was cut since nothing had come on it for too long. */
let silences = 0;

/** Counts a connection that was cut because nothing had come on it for too long. */
export function countSilence(error: Error): void {
  if (error.message.startsWith('Socket timeout')) silences++;
}

const unavailable = (cause?: unknown) =>
  new HoldfastError(
    'unavailable',
    'The reservation store cannot be reached. The outcome is unknown: repeat the call.',
    { cause },
  );

/**
 * Runs a command, and repeats it while connections are lost or primaries replaced, for 1.5 s. It is not repeated after
 * its connection was cut for silence: Redis may still be at work on it.
 * @param command told whether an earlier attempt may have been carried out: its connection was lost before the answer
 * came
 * @throws HoldfastError unavailable if Redis cannot serve; any other error is a fault of ours
 */
export function send<T>(command: (mayHaveRun: boolean) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let lastError: unknown;
    let mayHaveRun = false;
    let isOver = false;
    const fail = (error: unknown) => {
      isOver = true;
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(() => fail(unavailable(lastError ?? new Error('no answer in time'))), PATIENCE_MS);
    const attempt = () => {
      if (isOver) return;
      const silencesBefore = silences;
      command(mayHaveRun).then(
        (result) => {
          isOver = true;
          clearTimeout(timer);
          resolve(result);
        },
        (error: unknown) => {
          const message = error instanceof Error ? error.message : '';
          const isLost = !NOT_RUN.test(message) && LOST.test(message);
          if (isLost && silences !== silencesBefore) return fail(unavailable(error));
          if (isLost || NOT_RUN.test(message)) {
            lastError = error;
            mayHaveRun ||= isLost;
            setTimeout(attempt, RETRY_EVERY_MS);
            return;
          }
          fail(AWAY.test(message) ? unavailable(error) : error);
        },
      );
    };
    attempt();
  });
}
