/**
 * Runs commands on a Redis client. Commands are repeated while a primary is being replaced, and fail early enough for
 * callers to get a 503 within 2 s.
 */
import { HoldfastError } from '../domain/errors.ts';

/** How long send() repeats a command before it fails. */
const PATIENCE_MS = 1500;
export const RETRY_EVERY_MS = 50;

/** Temporary errors of Redis or ioredis. The command has not run. */
const NOT_RUN =
  /^(Too many Cluster redirections\. Last error: \w+: )?(ERR Function not found|LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|UNBLOCKED|NOSCRIPT)\b|^Stream isn't writeable|^Cluster isn't ready|^Failed to refresh slots|^None of startup nodes|^All sentinels are unreachable|ECONNREFUSED/;

/** Errors of a lost connection. The command may have run. */
const LOST =
  /^Connection is closed|^Command aborted|^Too many Cluster redirections|^Socket timeout|ECONN|EPIPE|ETIMEDOUT|Reached the max retries per request/;

/** Errors that last longer: Redis cannot serve, or refuses to. The last one means that a script's keys have moved. */
const UNAVAILABLE = /^(OOM|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b|attempted to access a non local key/;

/** Whether Redis cannot be reached or cannot serve, as opposed to a fault of the command. */
export const isAway = (error: unknown): boolean =>
  error instanceof HoldfastError
    ? error.code === 'unavailable'
    : error instanceof Error && [NOT_RUN, LOST, UNAVAILABLE].some((errors) => errors.test(error.message));

/** Number of connections that were closed because they were silent for too long. */
let silences = 0;

/** Counts the error if it reports a connection that was closed for silence. */
export function countSilence(error: Error): void {
  if (error.message.startsWith('Socket timeout')) silences++;
}

/** Redis has no memory left. Verbs that take none still run (bundle.ts). */
const FULL = /^OOM\b/;

/** Returns true if a command failed since Redis has no memory left. */
export const isFull = (error: unknown): boolean =>
  error instanceof HoldfastError && error.cause instanceof Error && FULL.test(error.cause.message);

/** Redis runs, but refuses every write: it cannot save to its disk, or it has too few replicas. */
const REFUSES_WRITES = /^(?:MISCONF|NOREPLICAS)\b.*?(?= script: |$)/;

/** Returns in Redis's own words why it refuses to write; null: it does not. */
export function writeRefusal(error: unknown): string | null {
  const cause = error instanceof HoldfastError ? error.cause : error;
  return (cause instanceof Error && REFUSES_WRITES.exec(cause.message)?.[0]) || null;
}

const unavailable = (cause: unknown) => new HoldfastError('unavailable', wordsFor(cause), { cause });

function wordsFor(cause: unknown): string {
  if (cause instanceof Error && FULL.test(cause.message))
    return 'The reservation store is full: it takes nothing more until it has room. Releases, renewals and reads work. Repeat the call later.';
  if (writeRefusal(cause) !== null)
    return 'The reservation store takes no writes, so nothing works until its operator has mended that. Repeat the call later.';
  return 'The reservation store cannot be reached. The outcome is unknown: repeat the call.';
}

/**
 * Runs a command. Repeats it for up to 1.5 s while connections are lost or primaries are replaced, except after its
 * connection was closed for silence: Redis may still be working on it.
 * @param command called for each attempt. `mayHaveRun`: the connection of an earlier attempt was lost before its reply
 * @throws HoldfastError unavailable, if Redis cannot serve; any other error is a bug
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
    const timer = setTimeout(() => fail(unavailable(lastError ?? new Error('no reply in time'))), PATIENCE_MS);
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
          fail(UNAVAILABLE.test(message) ? unavailable(error) : error);
        },
      );
    };
    attempt();
  });
}
