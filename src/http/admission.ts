/**
 * What an instance takes on, and what it refuses at once because it has more to do than it can: with a 503, before
 * anything is done. So refusing costs little, what was taken is answered in time, and memory is bounded.
 *
 * Without it, every request is begun, all wait for each other, and none is answered within the 1.5 s that one waits for
 * Redis: offered twice what it carries for 10 s, an instance answered 0.05 of that, grew to 3.8 GiB, and was at it
 * still half a minute later. With it, on 2,000 connections of one request at a time: 0.61 to 0.72 of it, in 0.16 to
 * 0.21 s, 50 to 240 MiB more, and all as before 0.1 s after the end. Not to read from a refused connection for half a
 * second gained nothing.
 */
import type { RequestListener, ServerOptions, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { FailureCode } from '../domain/errors.ts';
import { onceEnded, pendingOn } from '../events/onceEnded.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Arrivals, BodyError } from './arrivals.ts';
import { addressOf } from './clientAddress.ts';
import { CODE_HEADER } from './errors.ts';
import { hasValidHost } from './hostHeader.ts';
import { Incoming } from './incoming.ts';

/**
 * What has come meanwhile is taken in one turn of the event loop, and only then does anything else get its turn. One
 * that has lasted so long, for want of CPU, takes no more. Requests that wait for Redis make no turn longer: they are
 * bounded by their number alone, so that the tenants of a primary that is away do not keep out the others'.
 */
const MAX_TURN_MS = 25;
/**
 * Taken in any turn, however long: as many callers as are an ordinary load are never refused, and a pause of the
 * process refuses nobody.
 */
const TAKEN_IN_ANY_TURN = 256;

/** Larger bodies are read only once the key is known to be valid, and counted by their bytes. */
const SMALL_BODY_BYTES = 16_384;
/**
 * Of larger bodies in flight, all together: with 1,000 bodies of 1 MiB at once an instance grew by 140 MiB, without a
 * bound by 1 GiB. As batches of 500 these are some 300, about as many as Redis does within the 1.5 s that each waits
 * for it.
 */
const MAX_LARGE_BYTES = 8 * 1_048_576;
/** What one tenant may have of them on their way, and of the places in flight for that. */
const SHARE_OF_BYTES = 0.5;
const SHARE_OF_PLACES = 0.25;
/** Of bodies whose sender nobody knows yet: small ones that come in pieces, forms of the dashboard, JWTs. */
const UNKNOWN = { bodies: 4096, bytes: 4 * 1_048_576 };
/** What one address may have of them. */
const UNKNOWN_OF_ADDRESS = { bodies: 1024, bytes: 1_048_576 };
/** After so long a body whose sender is not known makes room for others. */
const YIELDS_AFTER_MS = 250;

/** How long a refusal may wait to be counted and logged, with those that follow it. */
const TELL_EVERY_MS = 1000;

/**
 * By these a balancer tells that the instance lives and can serve. It must not take out one that is only busy: the
 * others would be next.
 */
const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz']);
/**
 * A stream is open for hours, and Streams bounds what each may hold. Its opening is not refused either: an EventSource
 * tries no more after a 503.
 */
const STREAM = /^\/api\/v1\/events(\?|$)/;

/** Of the server. */
export const SERVER_OPTIONS = {
  IncomingMessage: Incoming,
  // A request must have come in whole by then (5 min by default).
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than a proxy keeps an idle connection (60 s in nginx): it would send a request on one that is just being
  // closed.
  keepAliveTimeout: 65_000,
} satisfies ServerOptions<typeof Incoming>;

export interface AdmissionOptions {
  /** Requests that may be in flight. */
  readonly maxInFlight: number;
  /** Proxies of our own that each request comes through. */
  readonly trustedProxies: number;
  readonly log: Logger;
  /** null: nobody asks for them */
  readonly metrics: Metrics | null;
}

/** A failure that is answered here. A list of headers costs Node less than an object. */
interface Failure {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
}

function failure(status: number, code: FailureCode, text: string, ...headers: string[]): Failure {
  const body = JSON.stringify(status === 400 ? text : { error: text, code });
  const length = String(Buffer.byteLength(body));
  const common = ['Content-Type', 'application/json', 'Content-Length', length, 'Cache-Control', 'no-store'];
  return { status, headers: [...common, 'X-Content-Type-Options', 'nosniff', ...headers], body };
}

/** The same wherever a request is refused for want of room. */
export const OVERLOADED = 'This instance has more to do than it can. Nothing was done: repeat the call.';
export const BODY_TIMEOUT = 'The request body did not arrive in time.';
export const bodyTooLarge = (maxBytes: number) => `The request body is larger than ${maxBytes} bytes.`;

const REFUSED = failure(503, 'OVERLOADED', OVERLOADED, 'Retry-After', '1');
const STALLED = failure(408, 'BODY_TIMEOUT', BODY_TIMEOUT, 'Connection', 'close');
const NO_HOST = failure(
  400,
  'INVALID_HOST',
  'the request must have one Host header, with a valid host',
  CODE_HEADER,
  'INVALID_HOST',
);

/** Requests of one connection that may be in flight: a client that does not wait for its answers. */
const MAX_PIPELINED = 64;

/** No date, and no X-Request-Id, under which nothing is logged: refusing must cost as little as can be. */
function answer(response: ServerResponse, { status, headers, body }: Failure): void {
  response.sendDate = false;
  // Node reads what is left of the body, and forgets it: unless it is closed, the connection can be used again.
  response.writeHead(status, headers).end(body);
}

/**
 * Puts the bounds before a listener, and reads bodies for it.
 * @param listener what answers the requests that are taken
 */
export function admit(listener: RequestListener<typeof Incoming>, options: AdmissionOptions) {
  const { maxInFlight, trustedProxies, log, metrics } = options;
  /** By address. */
  const unknown = new Arrivals({
    perOwner: UNKNOWN_OF_ADDRESS,
    inAll: UNKNOWN,
    yieldsAfterMs: YIELDS_AFTER_MS,
    smallBytes: SMALL_BODY_BYTES,
  });
  /** Large ones, by the tenant whose key was verified. They are in flight besides. */
  const known = new Arrivals({
    perOwner: { bodies: Math.ceil(maxInFlight * SHARE_OF_PLACES), bytes: MAX_LARGE_BYTES * SHARE_OF_BYTES },
    inAll: { bodies: maxInFlight, bytes: MAX_LARGE_BYTES },
    yieldsAfterMs: Number.POSITIVE_INFINITY,
    smallBytes: SMALL_BODY_BYTES,
  });
  let inFlight = 0;
  let takenInTurn = 0;
  let turnBegan = 0;
  let refused = 0;

  const endTurn = () => {
    takenInTurn = 0;
  };
  const isTurnOver = () => takenInTurn >= TAKEN_IN_ANY_TURN && performance.now() - turnBegan > MAX_TURN_MS;
  const isFull = () => inFlight >= maxInFlight || isTurnOver();

  const countRefusal = () => {
    if (refused++ === 0) setTimeout(tell, TELL_EVERY_MS).unref();
  };
  const tell = () => {
    metrics?.countOverload(refused);
    log.warn({ refused, inFlight, largeBytes: known.bytes }, 'overloaded: requests were refused');
    refused = 0;
  };
  const refuse = (response: ServerResponse) => {
    countRefusal();
    answer(response, REFUSED);
  };

  const take = (request: Incoming, response: Response) => {
    if (isFull() || pendingOn(request.socket) >= MAX_PIPELINED) {
      refuse(response);
      return;
    }
    if (takenInTurn++ === 0) {
      turnBegan = performance.now();
      setImmediate(endTurn);
    }
    inFlight++;
    onceEnded(response, () => {
      inFlight--;
    });
    listener(request, response);
  };

  const read = async (arrivals: Arrivals, request: Incoming, response: Response, owner: string, maxBytes: number) => {
    try {
      return await arrivals.read(request, response, owner, maxBytes);
    } catch (error) {
      if (error instanceof BodyError && error.fault === 'OVERLOADED') countRefusal();
      throw error;
    }
  };

  /** Goes on with a request that has a body, once Node has parsed what came together with its head. */
  const receive = (request: Incoming, response: Response) => {
    const { headers, complete, readableLength } = request;
    if (complete && readableLength <= SMALL_BODY_BYTES) {
      const body: unknown = request.read();
      if (body instanceof Buffer) request.rawBody = body;
      take(request, response);
      return;
    }
    const address = () => addressOf(request, trustedProxies);
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SMALL_BODY_BYTES) {
      request.readBody = (tenant, maxBytes) =>
        tenant === undefined
          ? read(unknown, request, response, address(), maxBytes)
          : read(known, request, response, tenant, maxBytes);
      take(request, response);
      return;
    }
    read(unknown, request, response, address(), SMALL_BODY_BYTES).then(
      (body) => {
        request.rawBody = body;
        take(request, response);
      },
      (error: unknown) => {
        if (!(error instanceof BodyError)) throw error;
        if (error.fault === 'OVERLOADED') answer(response, REFUSED);
        else if (error.fault === 'BODY_TIMEOUT') answer(response, STALLED);
      },
    );
  };

  return (request: Incoming, response: Response) => {
    const { url = '', headers } = request;
    if (!hasValidHost(request)) {
      answer(response, NO_HOST);
    } else if (ALWAYS_ANSWERED.has(url) || STREAM.test(url)) {
      listener(request, response);
    } else if (isFull()) {
      refuse(response);
    } else if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') {
      process.nextTick(receive, request, response);
    } else {
      take(request, response);
    }
  };
}

type Response = ServerResponse<Incoming> & { req: Incoming };
