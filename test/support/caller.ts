/**
 * Callers on connections of their own, each with the key of its tenant, that send a body later than its head; and a
 * process of the service that they call.
 */
import { connect, type Socket } from 'node:net';
import { expect, inject } from 'vitest';
import { type InstanceProcess, startProcess } from './process.ts';
import { makeConfiguredKey, makeTenant } from './service.ts';
import { until } from './until.ts';

export const MAX_IN_FLIGHT = 8;
export const key = makeConfiguredKey(makeTenant());
export const keys = [key, ...Array.from({ length: 31 }, () => makeConfiguredKey(makeTenant()))];
export const REFUSED = {
  status: 503,
  retryAfter: '1',
  body: { error: expect.stringContaining('Nothing was done'), code: 'OVERLOADED' },
};
/** Size in bytes of a body that an instance reads only once it knows that the key is valid. */
export const LARGE = 20_000;

export const start = (env: Record<string, string> = {}) =>
  startProcess({
    REDIS_URL: inject('redisUrl'),
    API_KEYS: JSON.stringify(keys),
    ROLE: 'api',
    TIERS: '{"Enterprise": {"writesPerMinute": null}}',
    // Tests of other files fail to authenticate from the same address.
    MAX_FAILED_AUTHENTICATIONS: '1000000',
    ...env,
  });

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** A keep-alive connection on which a request's body may come later than its head. */
export class Caller {
  readonly answers: Answer[] = [];
  readonly #socket: Socket;
  readonly #key: string;
  #received = '';
  isClosed = false;

  constructor({ url }: { readonly url: string }, key: string) {
    this.#key = key;
    this.#socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#receive(chunk));
    this.#socket.on('error', () => {}); // 'close' follows
    this.#socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** @param length of the body; undefined: it comes in chunks */
  head(length: number | undefined, target = 'POST /api/v1/Reservation/reserve'): this {
    const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    this.#socket.write(
      `${target} HTTP/1.1\r\nHost: h\r\nX-Api-Key: ${this.#key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
    );
    return this;
  }

  body(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** Waits until the kernel has taken all that was written. */
  async flushed(): Promise<void> {
    await new Promise((resolve) => this.#socket.write('', resolve));
  }

  /** The answer to one of its requests: 1 is the first. */
  async answer(which = 1): Promise<Answer> {
    await until('an answer', () => this.answers.length >= which);
    return this.answers[which - 1] ?? { status: 0, retryAfter: undefined, body: undefined };
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    for (;;) {
      const head = this.#received.slice(0, this.#received.indexOf('\r\n\r\n') + 4);
      const end = head.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (head.length < 4 || this.#received.length < end) return;
      const text = this.#received.slice(head.length, end);
      this.answers.push({
        status: Number(head.slice(9, 12)),
        retryAfter: /retry-after: (\d+)/i.exec(head)?.[1],
        body: text === '' ? undefined : JSON.parse(text),
      });
      this.#received = this.#received.slice(end);
    }
  }
}

/** Each with the key of another tenant. */
export const callers = (count: number, instance: InstanceProcess) =>
  Array.from({ length: count }, (_, i) => new Caller(instance, keys[i]?.key ?? ''));
let named = 0;
export const item = () => ({ resource: `r${named++}`, requester: 'a', ttlSeconds: 60 });
/** A body of exactly so many bytes. */
export const body = (bytes = 256) => JSON.stringify([item()]).padEnd(bytes);
export const get = (instance: InstanceProcess, path: string) =>
  fetch(instance.url + path, { headers: { 'X-Api-Key': key.key } });
