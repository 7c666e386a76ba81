/**
 * A request as Node receives it, with its body. A small body is complete before the application sees the request. A
 * large one is read only when a handler calls for it, so that the caller's key can be verified first.
 */
import { IncomingMessage } from 'node:http';

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
  hold(): void {
    this.heldSinceMs ??= performance.now();
    this.endFlight?.();
    this.endBody?.();
    this.endFlight = undefined;
    this.endBody = undefined;
    this.rawBody = undefined;
  }
}
