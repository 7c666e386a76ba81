/**
 * Sends an attempt until the service has decided it. If the caller gives up on the way, its ticket is cancelled, and
 * reservations that it got in the same moment are released.
 */
import { HoldfastError, unexpected } from '../errors.ts';
import type { Answer } from '../http/api.ts';
import { pause as pauseAlive, withCause } from '../http/retries.ts';
import type { Waiting } from '../types.ts';
import type { Attempt, Outcome } from './attempts.ts';
import { startTimer } from './clocks.ts';
import type { Wait } from './waits.ts';

const MAX_POLL_SECONDS = 20;
/** Interval of calls whose response is not held, in ms. Less than `claimSeconds`, or the caller would lose its turn. */
const SHORT_POLL_MS = 1000;
/**
 * The least time from one long poll to the next, in ms: a service that does not hold them is not asked all the time.
 */
const MIN_CALL_MS = 100;
/** Time by which the service may end a wait later than the caller, in ms. */
const LATE_MS = 2000;
/** A caller that wants to know its position hears of it this often. */
const POLL_SECONDS_OF_WATCHERS = 5;
/** Longest time for which a cancelled request may still be answered, in ms. */
const LINGER_MS = 5000;
/** Time for which the caller waits for its cancellation, in ms; it goes on in the background. */
const PATIENCE_MS = 500;

export interface Asking<O extends Outcome> {
  readonly attempt: Attempt<O>;
  /** `performance.now()` when the wait ends; undefined: a try. */
  readonly until: number | undefined;
  /** Undefined: a try. */
  readonly wait?: Wait | undefined;
  /** The lease, in ms. It begins while the response is held, so that takes no more than a third of it. */
  readonly ttlMs: number;
  /** That of the wait, if it is one. */
  readonly signal: AbortSignal | undefined;
  readonly onWaiting: ((waiting: Waiting) => void) | undefined;
  /** For requests with an Idempotency-Key, which have to stay the same. */
  readonly pollSeconds?: number | undefined;
  /** Called before each request. */
  asked?(): void;
  /** Called with an answer that nobody wants any more. */
  release(answer: O): Promise<unknown>;
  /** Called once, when no request is under way any more and nobody has got anything. */
  ended(): void;
}

/**
 * @returns the answer that is not WAITING: it got it, or was refused
 * @throws the reason of the signal; HoldfastError
 */
export async function askUntilDecided<O extends Outcome>(asking: Asking<O>): Promise<Answer<O>> {
  const { attempt, until, signal, onWaiting } = asking;
  const closing = signal && new AbortController();
  let call: Promise<Answer<O>> | undefined;
  let askedAt = 0;
  let failure: HoldfastError | undefined;
  const onFailure = (error: HoldfastError) => {
    failure = error;
  };
  try {
    for (let calls = 0; ; calls++) {
      signal?.throwIfAborted();
      call = withConnection(async (mayPoll) => {
        // The first call only joins the queue, so the second one follows at once.
        if (calls > 1 || (calls > 0 && !mayPoll))
          await pauseAlive(mayPoll ? askedAt + MIN_CALL_MS - performance.now() : SHORT_POLL_MS);
        askedAt = performance.now();
        asking.asked?.();
        return attempt.ask({
          pollSeconds: mayPoll ? pollSecondsOf(asking, calls) : (asking.pollSeconds ?? 0),
          deadline: until,
          signal: closing?.signal,
          onFailure,
        });
      });
      const answer = await (signal === undefined ? call : orAborted(call, signal));
      failure = undefined;
      const { state, waiting } = answer.result;
      if (state !== 'WAITING') return answer;
      call = undefined;
      if (until === undefined) throw unexpected();
      if (waiting !== undefined) onWaiting?.(waiting);
      // The service ends the ticket itself, a little after this.
      if (performance.now() >= until + LATE_MS) {
        throw new HoldfastError('NOT_AVAILABLE', `${attempt.title}: its turn did not come in time`);
      }
    }
  } catch (error) {
    // A call that has failed is over.
    const cleanUp = giveUp(asking, signal?.aborted ? call : undefined, closing).finally(() => asking.ended());
    // `cancel` says that nothing is left, so it waits for that.
    await (asking.wait?.isCancelled ? cleanUp : Promise.race([cleanUp, pause(PATIENCE_MS)]));
    throw signal?.aborted && error === signal.reason ? withCause(error, failure) : error;
  }
}

function pollSecondsOf({ until = 0, ttlMs, onWaiting, pollSeconds }: Asking<Outcome>, calls: number): number {
  if (pollSeconds !== undefined) return pollSeconds;
  const watched = calls === 0 ? 1 : POLL_SECONDS_OF_WATCHERS;
  const longest = onWaiting === undefined ? MAX_POLL_SECONDS : watched;
  const left = Math.ceil((until - performance.now()) / 1000);
  return Math.max(1, Math.min(longest, Math.floor(ttlMs / 3000), left));
}

/** Ends the ticket, and the call that may still get something. */
async function giveUp<O extends Outcome>(
  { attempt, until, release }: Asking<O>,
  call: Promise<Answer<O>> | undefined,
  closing: AbortController | undefined,
): Promise<void> {
  const deadline = performance.now() + LINGER_MS;
  const timer = startTimer(() => closing?.abort(), LINGER_MS);
  let [isOpen, mayWait] = [call !== undefined, until !== undefined];
  const settled = Promise.resolve(call)
    .then(async (answer) => {
      mayWait &&= answer === undefined || answer.result.state === 'WAITING';
      if (answer?.result.state === 'GOT') await release(answer.result);
    })
    .catch(() => {})
    .finally(() => {
      isOpen = false;
    });
  // The cancellation may overtake its request on the way, which then gets a ticket: so cancel until it was answered
  // before.
  for (let ms = 50; mayWait; ms *= 2) {
    const wasOpen = isOpen;
    await attempt.cancel({ deadline }).catch(() => {});
    if (!wasOpen || performance.now() > deadline) break;
    await Promise.race([settled, pause(ms)]);
  }
  await settled;
  clearTimeout(timer);
}

/** As the promise settles, or rejects with the reason of the signal as soon as it aborts. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    const value = await Promise.race([promise, aborted]);
    signal.throwIfAborted();
    return value;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => startTimer(resolve, ms));

/**
 * Number of responses that the service may hold for a page. Browsers open six connections to a host under HTTP/1.1,
 * and releases and renewals need one. Further waits ask again and again instead.
 */
const MAX_HELD = 3;
const isPage = 'document' in globalThis || 'importScripts' in globalThis;

let held = 0;

/** @param call gets true if the service may hold its response */
function withConnection<T>(call: (mayPoll: boolean) => Promise<T>): Promise<T> {
  if (!isPage) return call(true);
  if (held === MAX_HELD) return call(false);
  held++;
  return call(true).finally(() => {
    held--;
  });
}
