/**
 * One open stream of events: a response that is written to as long as its reader keeps up, and no message is missing.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Credential } from '../domain/tenants.ts';
import type { Batch } from './message.ts';
import { onceEnded } from './onceEnded.ts';

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
  /** The number of the last message before it opened, and of the last that it has sent. */
  #openedAt = 0;
  #last = 0;
  /** The Redis process that it was opened at. Messages of another one are of a primary that has been replaced. */
  #publisher = '';

  /** @param onClose called once, when it has ended, whoever ended it */
  constructor(response: ServerResponse, credential: Credential, onClose: (stream: Stream) => void) {
    this.#response = response;
    this.credential = credential;
    onceEnded(response, () => onClose(this));
    // A reader that went away while it was written to: its 'close' follows.
    response.on('error', () => {});
  }

  get endReason(): EndReason {
    return this.#endReason;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.req.socket.destroyed;
  }

  /** The number of the last message that it has sent. */
  get last(): number {
    return this.#last;
  }

  /**
   * Sends the head and a comment, so that proxies and the reader see at once that it is open.
   * @param lastMessage the number of the last message before
   * @param publisher the Redis process whose messages it takes
   */
  start(headers: Readonly<Record<string, string>>, lastMessage: number, publisher: string): void {
    this.#publisher = publisher;
    this.#openedAt = lastMessage;
    this.#last = lastMessage;
    this.#response.writeHead(200, { ...HEADERS, ...headers });
    this.#response.write(': open\n\n');
  }

  /**
   * Sends what is new of some messages. A message that is not the next ends the stream instead: some were missed, or it
   * is of a primary that has been replaced.
   * @returns how many events were sent
   */
  deliver({ messages, isUnbroken, events, text }: Batch): number {
    const [first] = messages;
    if (isUnbroken && first?.number === this.#last + 1 && first.publisher === this.#publisher) {
      this.#last += messages.length;
      return this.write(text) ? events : 0;
    }
    let [fresh, freshEvents, isBroken] = ['', 0, false];
    for (const { number, publisher, events, text } of messages) {
      // Published before it opened, and received after.
      if (number <= this.#openedAt) continue;
      isBroken = number !== this.#last + 1 || publisher !== this.#publisher;
      if (isBroken) break;
      this.#last = number;
      fresh += text;
      freshEvents += events;
    }
    const sent = freshEvents > 0 && this.write(Buffer.from(fresh, 'latin1')) ? freshEvents : 0;
    if (isBroken) this.end('redis_lost');
    return sent;
  }

  /**
   * Sends text. Cuts off a reader for whom more than 1 MiB is queued already.
   * @returns whether it was sent
   */
  write(text: Buffer): boolean {
    if (this.#response.writableEnded || this.#response.destroyed) return false;
    if (this.#response.writableLength > MAX_WAITING_BYTES) {
      this.#endReason = 'slow_reader';
      this.#response.destroy();
      return false;
    }
    this.#response.write(text);
    return true;
  }

  /** Ends it some time from now. */
  endIn(ms: number): void {
    const timer = setTimeout(() => this.end('credential_ended'), Math.min(ms, MAX_TIMER_MS)).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  /**
   * Ends it in good order: what was written is still sent, unless its reader takes too long; that one connects again.
   */
  end(reason: EndReason): void {
    if (this.#endReason === 'reader') this.#endReason = reason;
    this.#response.end();
    setTimeout(() => this.#response.destroy(), END_WITHIN_MS).unref();
  }
}
