/**
 * Runs commands on a Redis client. Commands are repeated while a primary is being replaced, and fail early enough for
 * callers to get a 503 within 2 s.
 */
import { performance } from 'node:perf_hooks';
import { HoldfastError } from '../domain/errors.ts';

/** Time for which send() repeats a command before it fails. */
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

/** Returns true if Redis cannot be reached or cannot serve, as opposed to a fault of the command. */
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

/** Takes the reply to a command, or its error. Exactly one of the two is called, once. */
export interface Receiver<Reply> {
  answered(reply: Reply): void;
  failed(error: unknown): void;
}

/** A command with a timeout, in a list of all of them. */
interface Limited {
  readonly endMs: number;
  older: Limited | undefined;
  newer: Limited | undefined;
  expire(): void;
}

/**
 * Ends what has run for too long, with one timer for all. It is a linked list, whose links are cut at removal: a Set
 * would leave copies of itself behind, by which the garbage collector finds what has ended long ago still reachable.
 */
class TimeLimits {
  #oldest: Limited | undefined;
  #newest: Limited | undefined;
  #timer: NodeJS.Timeout | undefined;

  add(one: Limited): void {
    one.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = one;
    else this.#newest.newer = one;
    this.#newest = one;
    if (this.#timer === undefined) this.#expireLater(PATIENCE_MS);
  }

  remove(one: Limited): void {
    if (one.older !== undefined) one.older.newer = one.newer;
    else if (this.#oldest === one) this.#oldest = one.newer;
    if (one.newer !== undefined) one.newer.older = one.older;
    else if (this.#newest === one) this.#newest = one.older;
    one.older = undefined;
    one.newer = undefined;
  }

  #expireLater(ms: number): void {
    this.#timer = setTimeout(() => this.#expire(), ms).unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#oldest !== undefined && this.#oldest.endMs <= now) this.#oldest.expire();
    if (this.#oldest !== undefined) this.#expireLater(this.#oldest.endMs - now);
  }
}
const limits = new TimeLimits();

/**
 * A command that is repeated for up to 1.5 s while connections are lost or primaries are replaced, except after its
 * connection was closed for silence: Redis may still be working on it. The receiver gets its reply, or a HoldfastError
 * unavailable if Redis cannot serve; any other error is a bug.
 */
export abstract class Attempts<Reply, Of extends Receiver<Reply> = Receiver<Reply>>
  implements Receiver<Reply>, Limited
{
  older: Limited | undefined;
  newer: Limited | undefined;
  readonly endMs = performance.now() + PATIENCE_MS;
  #receiver: Of | undefined;
  #lastError: unknown;
  #mayHaveRun = false;
  #silencesBefore = 0;

  constructor(receiver: Of) {
    this.#receiver = receiver;
  }

  /**
   * Sends the command once more. Its outcome goes to answered() or failed().
   * @param mayHaveRun the connection of an earlier attempt was lost before its reply
   */
  protected abstract send(mayHaveRun: boolean): void;

  start(): void {
    limits.add(this);
    this.#attempt();
  }

  answered(reply: Reply): void {
    this.#settle()?.answered(reply);
  }

  failed(error: unknown): void {
    const message = error instanceof Error ? error.message : '';
    const isLost = !NOT_RUN.test(message) && LOST.test(message);
    if (isLost && silences !== this.#silencesBefore) this.#settle()?.failed(unavailable(error));
    else if (isLost || NOT_RUN.test(message)) {
      this.#lastError = error;
      this.#mayHaveRun ||= isLost;
      setTimeout(() => this.#attempt(), RETRY_EVERY_MS);
    } else this.#settle()?.failed(UNAVAILABLE.test(message) ? unavailable(error) : error);
  }

  expire(): void {
    this.#settle()?.failed(unavailable(this.#lastError ?? new Error('no reply in time')));
  }

  /** undefined once it has its reply or error */
  protected get receiver(): Of | undefined {
    return this.#receiver;
  }

  #attempt(): void {
    if (this.#receiver === undefined) return;
    this.#silencesBefore = silences;
    try {
      this.send(this.#mayHaveRun);
    } catch (error) {
      this.#settle()?.failed(error);
    }
  }

  /** Forgets everything but the reply: ioredis keeps a command that is given up until its connection ends. */
  #settle(): Of | undefined {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    limits.remove(this);
    return receiver;
  }
}

/** A command of ioredis. */
class PlainAttempts<Reply> extends Attempts<Reply> {
  readonly #command: (mayHaveRun: boolean) => Promise<Reply>;

  constructor(command: (mayHaveRun: boolean) => Promise<Reply>, receiver: Receiver<Reply>) {
    super(receiver);
    this.#command = command;
  }

  protected override send(mayHaveRun: boolean): void {
    this.#command(mayHaveRun).then(
      (reply) => this.answered(reply),
      (error: unknown) => this.failed(error),
    );
  }
}

/**
 * Runs a command, and repeats it as Attempts says.
 * @param command called for each attempt. `mayHaveRun`: the connection of an earlier attempt was lost before its reply
 * @throws HoldfastError unavailable, if Redis cannot serve; any other error is a bug
 */
export const send = <Reply>(command: (mayHaveRun: boolean) => Promise<Reply>): Promise<Reply> =>
  new Promise((answered, failed) => new PlainAttempts(command, { answered, failed }).start());
