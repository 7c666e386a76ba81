/**
 * One open event stream: a response that gets events until its reader is too slow, or a message is missing.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Credential } from '../domain/tenants.ts';
import type { Batch } from './message.ts';
import { onceEnded } from './onceEnded.ts';

/** Bytes that may be queued for a slow reader. */
const MAX_QUEUED_BYTES = 1_048_576;

/** Time that a reader has to read its queued events before the connection is closed. */
const END_WITHIN_MS = 2000;

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // No proxy may cache, buffer or compress the stream.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Why a stream ended. `reader`: the reader closed it; otherwise this instance did. */
export const END_REASONS = ['reader', 'slow_reader', 'redis_lost', 'credential_ended', 'instance_leaving'] as const;
export type EndReason = (typeof END_REASONS)[number];

export class Stream {
  readonly id = randomUUID();
  readonly credential: Credential;
  readonly #response: ServerResponse;
  #endReason: EndReason = 'reader';
  /** The number of the last message before the stream opened. */
  #openedAt = 0;
  /** The number of the last message that the stream has sent. */
  #last = 0;
  /** The Redis process at which the stream was opened. Another one publishes only if a primary has been replaced. */
  #publisher = '';

  /** @param onClose called once, when the stream has ended for any reason */
  constructor(response: ServerResponse, credential: Credential, onClose: (stream: Stream) => void) {
    this.#response = response;
    this.credential = credential;
    onceEnded(response, () => onClose(this));
    // The reader closed the connection during a write: 'close' follows.
    response.on('error', () => {});
  }

  get endReason(): EndReason {
    return this.#endReason;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.req.socket.destroyed;
  }

  /** The number of the last message that the stream has sent. */
  get last(): number {
    return this.#last;
  }

  /**
   * Sends the head and a comment, so that proxies and the reader see at once that the stream is open.
   * @param lastMessage the number of the last message before the stream opened
   * @param publisher the Redis process whose messages the stream accepts
   */
  start(headers: Readonly<Record<string, string>>, lastMessage: number, publisher: string): void {
    this.#publisher = publisher;
    this.#openedAt = lastMessage;
    this.#last = lastMessage;
    this.#response.writeHead(200, { ...headers, ...HEADERS });
    this.#response.write(': open\n\n');
  }

  /**
   * Sends the events of new messages. If a message is not the next one, the stream ends: messages were missed, or the
   * message is from a primary that has been replaced.
   * @returns the number of events sent
   */
  deliver({ messages, isUnbroken, events, text }: Batch): number {
    const [first] = messages;
    if (isUnbroken && first?.number === this.#last + 1 && first.publisher === this.#publisher) {
      this.#last += messages.length;
      return this.write(text) ? events : 0;
    }
    let [from, to, freshEvents, isBroken] = [0, 0, 0, false];
    for (const { number, publisher, events, end } of messages) {
      // Published before the stream opened, but received after.
      if (number <= this.#openedAt) {
        from = end;
        continue;
      }
      isBroken = number !== this.#last + 1 || publisher !== this.#publisher;
      if (isBroken) break;
      this.#last = number;
      to = end;
      freshEvents += events;
    }
    const sent = freshEvents > 0 && this.write(text.subarray(from, to)) ? freshEvents : 0;
    if (isBroken) this.end('redis_lost');
    return sent;
  }

  /**
   * Sends text. Closes the connection of a reader that already has more than 1 MiB queued.
   * @returns whether it was sent
   */
  write(text: Buffer): boolean {
    if (this.#response.writableEnded || this.#response.destroyed) return false;
    if (this.#response.writableLength > MAX_QUEUED_BYTES) {
      this.#endReason = 'slow_reader';
      this.#response.destroy();
      return false;
    }
    this.#response.write(text);
    return true;
  }

  /** Ends the stream after a time in ms, when its credential expires. */
  endIn(ms: number): void {
    const timer = setTimeout(() => this.end('credential_ended'), Math.min(ms, MAX_TIMER_MS)).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  /** Ends the stream after its queued events are sent. Closes the connection if that takes the reader too long. */
  end(reason: EndReason): void {
    if (this.#endReason === 'reader') this.#endReason = reason;
    this.#response.end();
    setTimeout(() => this.#response.destroy(), END_WITHIN_MS).unref();
  }
}
