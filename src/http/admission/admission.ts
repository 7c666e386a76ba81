/**
 * Load shedding: refuses requests with 503 before reading their body when this instance is saturated. Refusing is
 * cheap, accepted requests are answered in time, and memory is bounded.
 *
 * Without it, all requests start and wait for each other, and none is answered within the 1.5 s that a call of Redis
 * may take. With twice its capacity offered for 10 s, an instance answered 5 % of that, grew to 3.8 GiB, and was still
 * busy half a minute later. With load shedding, on 2,000 connections with one request at a time, it answered 61 to 72 %
 * in 0.16 to 0.21 s, took 50 to 240 MiB more, and was idle 0.1 s after the end. Pausing refused connections for half a
 * second gained nothing.
 */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { onceEnded, pendingOn } from '../../events/onceEnded.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { Arrivals, BodyError } from './arrivals.ts';
import { addressOf } from './clientAddress.ts';
import { hasValidHost, Incoming } from './incoming.ts';
import { NO_HOST, REFUSED, STALLED, send } from './readyResponses.ts';

/**
 * An iteration of the event loop that has lasted this long, because CPU is short, accepts no more requests. Requests
 * that wait for Redis do not lengthen an iteration: only their number is limited, so that tenants of an unreachable
 * primary do not keep out the others.
 */
const MAX_ITERATION_MS = 25;
/**
 * Requests that every iteration accepts, however long it lasts: an ordinary number of callers is never refused, and
 * neither is anybody after a pause of the process.
 */
const MIN_ACCEPTED_IN_ITERATION = 256;

/** Larger bodies are read only after the key was verified, and their bytes are counted. */
const SMALL_BODY_BYTES = 16_384;
/**
 * Bytes of all larger bodies in flight. With 1,000 bodies of 1 MiB at once an instance grew by 140 MiB, and without
 * this limit by 1 GiB. It is about 300 batches of 500 items, as many as Redis carries out within the 1.5 s that each
 * may take.
 */
const MAX_LARGE_BYTES = 8 * 1_048_576;
/** One tenant's share of these bytes, and of the requests in flight that send them. */
const SHARE_OF_BYTES = 0.5;
const SHARE_OF_PLACES = 0.25;
/**
 * Its large bodies that are worked on: one is with Redis while another is made into a call or a response. Each has up
 * to 2 MB in use, which every collection of garbage copies.
 */
const IN_HAND = 2;
/** Limits of bodies whose sender is unknown: small ones that arrive in pieces, forms of the dashboard, JWTs. */
const UNKNOWN = { bodies: 4096, bytes: 4 * 1_048_576 };
/** One address's share of them. */
const UNKNOWN_OF_ADDRESS = { bodies: 1024, bytes: 1_048_576 };
/** A body whose sender is unknown makes room for others after this time. */
const YIELDS_AFTER_MS = 250;

/** Refusals are logged and counted in the metrics together, at most this often. */
const REPORT_EVERY_MS = 1000;

/**
 * Probes of a load balancer. It must not remove an instance that is only busy: the others would be next.
 */
const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz']);
/**
 * A stream is open for hours, and Streams limits its memory. It is never refused: an EventSource does not retry after a
 * 503.
 */
const STREAM = /^\/api\/v1\/events(\?|$)/;

/** Options of Node's HTTP server. */
export const SERVER_OPTIONS = {
  IncomingMessage: Incoming,
  // Time for a whole request to arrive (Node's default is 5 min).
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than a proxy keeps idle connections (60 s in nginx): otherwise it may send a request on a connection that is
  // being closed.
  keepAliveTimeout: 65_000,
} satisfies ServerOptions<typeof Incoming>;

/**
 * A connection on which nothing moves for this time is closed: longer than a long poll. Otherwise callers that read no
 * responses would keep all places of requests in flight.
 */
const STILL_MS = 45_000;
/** The same, while requests are refused since all places are taken, for a connection whose responses are not read. */
const UNREAD_MS = 2000;

export interface AdmissionOptions {
  /** Requests that may be in flight. */
  readonly maxInFlight: number;
  /** Number of our own proxies that each request passes through. */
  readonly trustedProxies: number;
  readonly log: Logger;
  /** null: metrics are off */
  readonly metrics: Metrics | null;
}

/**
 * Requests that arrive together start together, at most this many: each step of the code runs for all of them before
 * the next step, from warm caches. Started one after the other, a reserve takes 5 to 8 % more CPU.
 */
const STARTED_TOGETHER = 32;

/** Requests in flight of one connection, whose client does not wait for responses. */
const MAX_PIPELINED = 64;

type Listener = RequestListener<typeof Incoming>;
type Response = ServerResponse<Incoming> & { req: Incoming };
type Arrived = readonly [Incoming, Response];

/**
 * Makes a server that puts admission before a listener, and reads bodies for it.
 * @param listener answers the accepted requests
 */
export function createAdmittingServer(listener: Listener, options: AdmissionOptions): Server<typeof Incoming> {
  const admission = new Admission(listener, options);
  const server = createServer(SERVER_OPTIONS, (request, response) => admission.handle(request, response));
  server.on('connection', (socket) => admission.remember(socket));
  return server.setTimeout(STILL_MS);
}

class Admission {
  readonly #listener: Listener;
  readonly #options: AdmissionOptions;
  /** Bodies of unknown senders, by address. */
  readonly #unknown = new Arrivals({
    perOwner: UNKNOWN_OF_ADDRESS,
    inAll: UNKNOWN,
    yieldsAfterMs: YIELDS_AFTER_MS,
    smallBytes: SMALL_BODY_BYTES,
    inHand: Number.POSITIVE_INFINITY,
  });
  /** Large bodies, by the tenant whose key was verified. Their requests are in flight too. */
  readonly #known: Arrivals;
  /** Requests that arrived in this iteration of the event loop. They start at its end. */
  #arrived: Arrived[] = [];
  #inFlight = 0;
  /** The open connections. */
  readonly #sockets = new Set<Socket>();
  #acceptedInIteration = 0;
  #iterationBegan = 0;
  #refused = 0;

  constructor(listener: Listener, options: AdmissionOptions) {
    const { maxInFlight } = options;
    this.#listener = listener;
    this.#options = options;
    this.#known = new Arrivals({
      perOwner: { bodies: Math.ceil(maxInFlight * SHARE_OF_PLACES), bytes: MAX_LARGE_BYTES * SHARE_OF_BYTES },
      inAll: { bodies: maxInFlight, bytes: MAX_LARGE_BYTES },
      yieldsAfterMs: Number.POSITIVE_INFINITY,
      smallBytes: SMALL_BODY_BYTES,
      inHand: IN_HAND,
    });
  }

  handle(request: Incoming, response: Response): void {
    const { url = '' } = request;
    if (!hasValidHost(request)) {
      send(response, NO_HOST);
    } else if (ALWAYS_ANSWERED.has(url) || STREAM.test(url)) {
      this.#listener(request, response);
    } else {
      if (this.#arrived.length === 0) setImmediate(this.#start, this.#arrived);
      this.#arrived.push([request, response]);
      if (this.#arrived.length === STARTED_TOGETHER) this.#arrived = [];
    }
  }

  /** By now Node has parsed the bytes that came together with the heads. At the next tick it has not. */
  readonly #start = (arrived: readonly Arrived[]): void => {
    if (arrived === this.#arrived) this.#arrived = [];
    for (const [request, response] of arrived) this.#receive(request, response);
  };

  #receive(request: Incoming, response: Response): void {
    const { headers, complete, readableLength } = request;
    if (this.#isFull()) {
      this.#refuse(response);
    } else if (complete && readableLength <= SMALL_BODY_BYTES) {
      const body: unknown = readableLength > 0 ? request.read() : undefined;
      if (body instanceof Buffer) request.rawBody = body;
      this.#accept(request, response);
    } else if (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SMALL_BODY_BYTES) {
      request.readBody = (tenant, maxBytes) =>
        tenant === undefined
          ? this.#read(this.#unknown, request, response, this.#addressOf(request), maxBytes)
          : this.#read(this.#known, request, response, tenant, maxBytes);
      this.#accept(request, response);
    } else {
      this.#receiveSmall(request, response);
    }
  }

  /** Reads a small body that arrives in pieces, then accepts its request. */
  #receiveSmall(request: Incoming, response: Response): void {
    this.#read(this.#unknown, request, response, this.#addressOf(request), SMALL_BODY_BYTES).then(
      (body) => {
        request.rawBody = body;
        this.#accept(request, response);
      },
      (error: unknown) => {
        if (!(error instanceof BodyError)) throw error;
        if (error.fault === 'OVERLOADED') send(response, REFUSED);
        else if (error.fault === 'BODY_TIMEOUT') send(response, STALLED);
      },
    );
  }

  #accept(request: Incoming, response: Response): void {
    if (this.#isFull() || pendingOn(request.socket) >= MAX_PIPELINED) {
      this.#refuse(response);
      return;
    }
    if (this.#acceptedInIteration++ === 0) {
      this.#iterationBegan = performance.now();
      setImmediate(this.#endIteration);
    }
    this.#inFlight++;
    request.endFlight = onceEnded(response, this.#endRequest);
    this.#listener(request, response);
  }

  /** Notes a new connection, until it closes. */
  remember(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  readonly #endIteration = () => {
    this.#acceptedInIteration = 0;
  };

  readonly #endRequest = () => {
    this.#inFlight--;
  };

  #isFull(): boolean {
    if (this.#inFlight >= this.#options.maxInFlight) return true;
    return (
      this.#acceptedInIteration >= MIN_ACCEPTED_IN_ITERATION &&
      performance.now() - this.#iterationBegan > MAX_ITERATION_MS
    );
  }

  async #read(arrivals: Arrivals, request: Incoming, response: Response, owner: string, maxBytes: number) {
    try {
      return await arrivals.read(request, response, owner, maxBytes);
    } catch (error) {
      if (error instanceof BodyError && error.fault === 'OVERLOADED') this.#countRefusal();
      throw error;
    }
  }

  #addressOf(request: Incoming): string {
    return addressOf(request, this.#options.trustedProxies);
  }

  #refuse(response: Response): void {
    this.#countRefusal();
    send(response, REFUSED);
  }

  /** Node gives a connection its usual time again at its next request. */
  #hurryReaders(): void {
    for (const socket of this.#sockets)
      if (socket.writableLength > 0 && pendingOn(socket) > 0 && socket.timeout !== UNREAD_MS)
        socket.setTimeout(UNREAD_MS);
  }

  #countRefusal(): void {
    if (this.#refused++ === 0) setTimeout(() => this.#report(), REPORT_EVERY_MS).unref();
  }

  #report(): void {
    const { log, metrics, maxInFlight } = this.#options;
    if (this.#inFlight >= maxInFlight) this.#hurryReaders();
    const refused = this.#refused;
    this.#refused = 0;
    metrics?.countOverload(refused);
    log.warn({ refused, inFlight: this.#inFlight, largeBytes: this.#known.bytes }, 'overloaded: requests were refused');
  }
}
