/**
 * A request as Node receives it: its body and its Host header.
 */
import { IncomingMessage } from 'node:http';

/**
 * A request as Node receives it, with its body. A small body is complete before the application sees the request. A
 * large one is read only when a handler calls for it, so that the caller's key can be verified first.
 */
export class Incoming extends IncomingMessage {
  /** The whole body; undefined if there is none, or it is large. node-server reads it from here too. */
  rawBody: Buffer | undefined;
  /**
   * Reads a large body. To be called once.
   * @param tenant the tenant whose key was verified; undefined: unknown, so the body counts for the client's address
   * @param maxBytes maximum size of the body
   * @throws BodyError
   */
  readBody: ((tenant: string | undefined, maxBytes: number) => Promise<Buffer>) | undefined;
  /** Gives back the request's place among the requests in flight, and that of its large body. */
  endFlight: (() => void) | undefined;
  endBody: (() => void) | undefined;
  /** When the response began to be held (`performance.now()`). undefined: it was not held. */
  heldSinceMs: number | undefined;

  /** Gives back what the request takes up, when its response starts to be held: from then on it costs little. */
  longPoll(): void {
    this.heldSinceMs ??= performance.now();
    this.endFlight?.();
    this.endBody?.();
    this.endFlight = undefined;
    this.endBody = undefined;
    this.rawBody = undefined;
  }
}

/** Hosts that were valid lately: nearly every request has the same one. */
const valid = new Set<string>();
const MAX_REMEMBERED = 1000;

/** Characters that would end the host, or change the meaning of the URL. */
const FOREIGN = /[^\w.:[\]-]/;

/**
 * Returns whether there is exactly one Host header, and it is valid in a URL. This service and its libraries build URLs
 * from it, so an invalid host would fail later as an internal error.
 */
export function hasValidHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const { host = '' } = headers;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count === 1 && (valid.has(host) || isValid(host));
}

function isValid(host: string): boolean {
  if (FOREIGN.test(host) || !URL.canParse(`http://${host}`)) return false;
  if (valid.size === MAX_REMEMBERED) valid.clear();
  valid.add(host);
  return true;
}
