/**
 * What an instance takes on, and what it refuses at once because it has more to do than it can: with a 503, before the body is read or
 * anything is done. So refusing costs little, what was taken is answered in time, and memory is bounded.
 *
 * Without it, every request is begun, all wait for each other, and none is answered within the 1.5 s that one waits for Redis: offered twice what it carries
 * for 10 s, an instance answered 0.05 of that, grew to 3.8 GiB, and was at it still half a minute later. With it, on 2,000 connections of one request at a time: 0.61 to 0.72
 * of it, in 0.16 to 0.21 s, 50 to 240 MiB more, and all as before 0.1 s after the end. Not to read from a refused connection for half a second gained nothing.
 */
import type { IncomingMessage, RequestListener, ServerOptions, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * What has come meanwhile is taken in one turn of the event loop, and only then does anything else get its turn. One that has lasted so long,
 * for want of CPU, takes no more. Requests that wait for Redis make no turn longer: they are bounded by their number alone, so that the
 * tenants of a primary that is away do not keep out the others'.
 */
const MAX_TURN_MS = 25;
/** Taken in any turn, however long: as many callers as are an ordinary load are never refused, and a pause of the process refuses nobody. */
const TAKEN_IN_ANY_TURN = 256;

/** Larger bodies are counted by their bytes besides; smaller ones are never refused for the sake of these. */
const SMALL_BODY_BYTES = 16_384;
/**
 * Of larger bodies in flight, all together: with 1,000 bodies of 1 MiB at once an instance grew by 140 MiB, without a bound by 1 GiB. As batches
 * of 500 these are some 300, about as many as Redis does within the 1.5 s that each waits for it.
 */
const MAX_LARGE_BYTES = 8 * 1_048_576;
/** As which a body counts that does not say how large it is. */
const UNDECLARED_BYTES = 65_536;

/** How long a refusal may wait to be counted and logged, with those that follow it. */
const TELL_EVERY_MS = 1000;

const BODY = JSON.stringify({ error: 'This instance has more to do than it can. Nothing was done: repeat the call.' });
/** A list costs Node less than an object. No date, and no X-Request-Id, under which nothing is logged: refusing must cost as little as can be. */
const HEADERS = ['Content-Type', 'application/json', 'Content-Length', String(BODY.length), 'Retry-After', '1'];

/** By these a balancer tells that the instance lives and can serve. It must not take out one that is only busy: the others would be next. */
const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz']);
/** A stream is open for hours, and Streams bounds what each may hold. Its opening is not refused either: an EventSource tries no more after a 503. */
const STREAM = /^\/api\/v1\/events(\?|$)/;

/**
 * Of the server: a request must have come in whole within 10 s (5 min by default), since it counts as in flight from its head on.
 */
export const SERVER_OPTIONS: ServerOptions = { requestTimeout: 10_000, connectionsCheckingInterval: 1000 };

export interface AdmissionOptions {
  /** Requests that may be in flight. */
  readonly maxInFlight: number;
  /** Of a body that is read at all. */
  readonly maxBodyBytes: number;
  readonly log: Logger;
  /** null: nobody asks for them */
  readonly metrics: Metrics | null;
}

/**
 * Puts the bounds before a listener.
 * @param listener what answers the requests that are taken
 */
export function admit(listener: RequestListener, options: AdmissionOptions): RequestListener {
  const { maxInFlight, maxBodyBytes, log, metrics } = options;
  let inFlight = 0;
  let largeBytes = 0;
  let takenInTurn = 0;
  let turnBegan = 0;
  let refused = 0;

  const endTurn = () => {
    takenInTurn = 0;
  };
  const isTurnOver = () => takenInTurn >= TAKEN_IN_ANY_TURN && performance.now() - turnBegan > MAX_TURN_MS;
  // One that is larger than all may be together is taken alone.
  const isTooMuch = (bytes: number) => bytes > 0 && largeBytes > 0 && largeBytes + bytes > MAX_LARGE_BYTES;

  const refuse = (response: ServerResponse) => {
    if (refused++ === 0) setTimeout(tell, TELL_EVERY_MS).unref();
    // Node reads what is left of the body, and forgets it: the connection can be used again.
    response.sendDate = false;
    response.writeHead(503, HEADERS).end(BODY);
  };
  const tell = () => {
    metrics?.countOverload(refused);
    log.warn({ refused, inFlight, largeBytes }, 'overloaded: requests were refused');
    refused = 0;
  };

  return (request, response) => {
    const { url = '' } = request;
    if (ALWAYS_ANSWERED.has(url) || STREAM.test(url)) return listener(request, response);
    if (isTurnOver() || inFlight >= maxInFlight) return refuse(response);
    const bytes = largeBytesOf(request, maxBodyBytes);
    if (isTooMuch(bytes)) return refuse(response);
    if (takenInTurn++ === 0) {
      turnBegan = performance.now();
      setImmediate(endTurn);
    }
    inFlight++;
    largeBytes += bytes;
    response.once('close', () => {
      inFlight--;
      largeBytes -= bytes;
    });
    return listener(request, response);
  };
}

/** How many bytes a body counts as; 0 where it is small, or so large that it is refused unread. */
function largeBytesOf({ headers }: IncomingMessage, maxBodyBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return UNDECLARED_BYTES;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > SMALL_BODY_BYTES && bytes <= maxBodyBytes ? bytes : 0;
}
