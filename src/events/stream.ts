/**
 * One open stream of events: a response that is written to as long as its reader keeps up (decisions, section 7).
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Credential } from '../domain/tenants.ts';

/** Bytes that may wait for a slow reader. */
const MAX_WAITING_BYTES = 1_048_576;

/** That a reader has to take what was written before the end. */
const END_WITHIN_MS = 2000;

/** The longest that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // No proxy may keep, gather or recode it.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Why a stream ended: its reader went away, unless it was ended here. */
export const END_REASONS = ['reader', 'slow_reader', 'redis_lost', 'credential_ended', 'instance_leaving'] as const;
export type EndReason = (typeof END_REASONS)[number];

export class Stream {
  readonly id = randomUUID();
  readonly credential: Credential;
  readonly #response: ServerResponse;
  #endReason: EndReason = 'reader';

  /** @param onClose called once, when it has ended, whoever ended it */
  constructor(response: ServerResponse, credential: Credential, onClose: (stream: Stream) => void) {
    this.#response = response;
    this.credential = credential;
    response.once('close', () => onClose(this));
    // A reader that went away while it was written to: its 'close' follows.
    response.on('error', () => {});
  }

  get endReason(): EndReason {
    return this.#endReason;
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  /** Sends the head and a comment, so that proxies and the reader see at once that it is open. */
  start(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, { ...HEADERS, ...headers });
    this.#response.write(': open\n\n');
  }

  /**
   * Sends frames; cuts off a reader for whom more than 1 MiB was waiting already.
   * @returns whether they were sent
   */
  write(frames: Buffer): boolean {
    if (this.#response.writableEnded || this.#response.destroyed) return false;
    if (this.#response.writableLength > MAX_WAITING_BYTES) {
      this.#endReason = 'slow_reader';
      this.#response.destroy();
      return false;
    }
    this.#response.write(frames);
    return true;
  }

  /** Ends it some time from now. */
  endIn(ms: number): void {
    const timer = setTimeout(() => this.end('credential_ended'), Math.min(ms, MAX_TIMER_MS)).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  /** Ends it in good order: what was written is still sent, unless its reader takes too long; that one connects again. */
  end(reason: EndReason): void {
    if (this.#endReason === 'reader') this.#endReason = reason;
    this.#response.end();
    setTimeout(() => this.#response.destroy(), END_WITHIN_MS).unref();
  }
}
