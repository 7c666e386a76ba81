/**
 * Requests to addresses that tenants name (docs/specification.md#addresses-of-tenants). Whatever the receiver does, a
 * request ends in time and keeps no more than asked.
 */
import { request as byHttp, Agent as HttpAgent, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as byHttps, Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { addressFault, type Rules } from './addresses.ts';
import { faultOf, OutgoingFault } from './fault.ts';
import { checkedLookup } from './lookUp.ts';

const TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;
/** Maximum number of answers such as 103 before the response: an endless flow of them would take up the process. */
const MAX_INFORMATIONAL = 10;
/** Bytes that are parsed at a time: of a flow of such answers, the parser would read all that has arrived. */
const PIECE_BYTES = 1024;
/** Of a body that nobody wants, for how long and how many bytes are read: most receivers can finish theirs by then. */
const DRAIN_MS = 1000;
const DRAIN_BYTES = 16_384;

/** With a connection for each request. By themselves, agents use no proxy, also with NODE_USE_ENV_PROXY. */
const AGENTS = { 'http:': new HttpAgent({ keepAlive: false }), 'https:': new HttpsAgent({ keepAlive: false }) };

export interface Outgoing {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request earlier. */
  readonly signal?: AbortSignal;
  readonly rules: Rules;
  /** Bytes of the response's body to keep; 0: the headers are enough */
  readonly keepBytes?: number;
}

export interface Answer {
  readonly status: number;
  /** Retry-After in ms; null: the response has none */
  readonly retryAfterMs: number | null;
  /** The start of the body, as much as was to be kept. */
  readonly body: string;
  /** False if the body is longer. */
  readonly isWhole: boolean;
}

/**
 * Sends a POST. Follows no redirect, and takes at most 10 s.
 * @throws OutgoingFault
 */
export const post = (url: string, outgoing: Outgoing & { readonly body: string | Buffer }): Promise<Answer> =>
  exchange('POST', url, outgoing);

/** Sends a GET likewise. @throws OutgoingFault */
export const get = (url: string, outgoing: Outgoing): Promise<Answer> => exchange('GET', url, outgoing);

async function exchange(
  method: string,
  address: string,
  outgoing: Outgoing & { body?: string | Buffer },
): Promise<Answer> {
  const { rules, keepBytes = 0, body = '' } = outgoing;
  const fault = addressFault(address, rules);
  if (fault !== null) throw new OutgoingFault(`The address ${fault}.`);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = outgoing.signal === undefined ? timeout : AbortSignal.any([outgoing.signal, timeout]);
  try {
    const response = await send(
      method,
      new URL(address),
      outgoing,
      typeof body === 'string' ? Buffer.from(body) : body,
      signal,
    );
    const { statusCode = 0 } = response;
    const retryAfterMs = readRetryAfter(response.headers['retry-after']);
    return { status: statusCode, retryAfterMs, ...(await readBody(response, keepBytes)) };
  } catch (error) {
    throw signal.aborted ? new OutgoingFault('There was no response in time.', { cause: error }) : faultOf(error);
  }
}

function send(method: string, url: URL, outgoing: Outgoing, body: Buffer, signal: AbortSignal) {
  const isSafe = url.protocol === 'https:';
  const options: RequestOptions = {
    method,
    headers: { 'User-Agent': 'Holdfast', ...outgoing.headers, 'Content-Length': body.length },
    agent: isSafe ? AGENTS['https:'] : AGENTS['http:'],
    lookup: checkedLookup(outgoing.rules, signal),
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = (isSafe ? byHttps : byHttp)(url, options, resolve);
    // Errors may follow the response, too. A connection that switches protocols closes without one.
    request.on('error', reject).on('close', () => reject(new OutgoingFault('The response is not HTTP.')));
    request.once('socket', readInPieces);
    let informational = 0;
    request.on('information', () => {
      if (++informational > MAX_INFORMATIONAL) request.destroy(new OutgoingFault('The response does not begin.'));
    });
    request.end(body);
  });
}

/** Lets a connection give what it reads to the parser piece by piece, until it is destroyed. */
function readInPieces(socket: Socket): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!(chunk instanceof Uint8Array)) return push(chunk, encoding);
    let hasRoom = true;
    for (let at = 0; at < chunk.length && !socket.destroyed; at += PIECE_BYTES)
      hasRoom = push(chunk.subarray(at, at + PIECE_BYTES));
    return hasRoom;
  };
}

async function readBody(response: IncomingMessage, keepBytes: number): Promise<Pick<Answer, 'body' | 'isWhole'>> {
  if (keepBytes === 0) {
    drain(response);
    return { body: '', isWhole: false };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > keepBytes) break;
  }
  const kept = Buffer.concat(chunks);
  return { body: kept.subarray(0, keepBytes).toString(), isWhole: length <= keepBytes };
}

/** Reads on in the background, and then closes the connection. */
function drain(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), DRAIN_MS).unref();
  let length = 0;
  response
    .on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > DRAIN_BYTES) response.destroy();
    })
    .on('error', () => {})
    .on('close', () => clearTimeout(timer));
}

function readRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
