/**
 * Overload: what is more than an instance can do is refused at once, and what it has taken is answered. Requests are kept in flight by
 * keeping back their bodies, so nothing here depends on how fast the machine is.
 */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type InstanceProcess, startProcess } from '../support/process.ts';
import { parseSamples } from '../support/samples.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

const MAX_IN_FLIGHT = 8;
const key = makeConfiguredKey(makeTenant());
const REFUSED = { status: 503, retryAfter: '1', body: { error: expect.stringContaining('Nothing was done') } };

const start = (env: Record<string, string> = {}) =>
  startProcess({
    REDIS_URL: inject('redisUrl'),
    API_KEYS: JSON.stringify([key]),
    ROLE: 'api',
    TIERS: '{"Enterprise": {"writesPerMinute": null}}',
    ...env,
  });

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** A keep-alive connection on which a request's body may come later than its head. */
class Caller {
  readonly answers: Answer[] = [];
  readonly #socket: Socket;
  #received = '';
  isClosed = false;

  constructor({ url }: { readonly url: string }) {
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
      `${target} HTTP/1.1\r\nHost: h\r\nX-Api-Key: ${key.key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
    );
    return this;
  }

  body(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** All that was written is in the hands of the other side's kernel. */
  async flushed(): Promise<void> {
    await new Promise((resolve) => this.#socket.write('', resolve));
  }

  /** The answer to its so-and-so-manieth request. */
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

const callers = (count: number, instance: InstanceProcess) => Array.from({ length: count }, () => new Caller(instance));
let named = 0;
const item = () => ({ resource: `r${named++}`, requester: 'a', ttlSeconds: 60 });
/** A body of exactly so many bytes. */
const body = (bytes = 256) => JSON.stringify([item()]).padEnd(bytes);
const get = (instance: InstanceProcess, path: string) =>
  fetch(instance.url + path, { headers: { 'X-Api-Key': key.key } });

/** Sends heads only, of which one more than fits; gives who was refused, the first to be answered, and the others. */
async function fill(all: readonly Caller[], bytes: number): Promise<[Caller, Caller[]]> {
  for (const caller of all) caller.head(bytes);
  const refused = await until('a refusal', () => all.find(({ answers }) => answers.length > 0));
  return [refused, all.filter((caller) => caller !== refused)];
}

/** Sends the bodies: all are answered, so that none is in flight any more. */
async function finish(taken: readonly Caller[], bytes = 256): Promise<void> {
  for (const caller of taken) caller.body(body(bytes));
  for (const caller of taken) expect((await caller.answer()).status).toBe(200);
  for (const caller of taken) caller.close();
}

let holdfast: InstanceProcess;
beforeAll(async () => {
  holdfast = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
});
afterAll(() => holdfast.kill('SIGKILL'));

describe('MAX_IN_FLIGHT requests are taken, and the next is refused at once', () => {
  test('while the others wait, and these are answered all the same', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast), 256);
    expect(await refused.answer()).toEqual(REFUSED);
    expect(taken.map(({ answers }) => answers.length)).toEqual(taken.map(() => 0));
    await finish(taken);
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    refused.close();
  });

  test('and a place is free again when a caller has gone away', async () => {
    const [refused, [first, ...others]] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast), 256);
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(503);
    first?.close();
    await until('a place', async () => (await get(holdfast, '/api/v1/Resource/available/r')).status === 200);
    await finish(others);
    refused.close();
  });
});

describe('a refused connection', () => {
  test('can be used for the next request: what is left of the refused one’s body is no part of it', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast), 100_000);
    await finish(taken, 100_000);
    refused.body('POST / HTTP/1.1\r\n\r\n'.padEnd(100_000)).head(256).body(body());
    expect((await refused.answer(2)).status).toBe(200);
    expect(refused.answers).toHaveLength(2);
    refused.close();
  });
});

describe('while all places are taken', () => {
  test('balancers are told all the same that it lives and can serve', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast), 256);
    for (const path of ['/healthz', '/readyz']) expect([path, (await get(holdfast, path)).status]).toEqual([path, 200]);
    await finish(taken);
    refused.close();
  });
});

describe('streams of events', () => {
  test('are opened though all places are taken: an EventSource would not come again', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast), 256);
    const stream = await watch({ ...holdfast, key: key.key });
    expect(stream.head).toContain(' 200 ');
    stream.close();
    await finish(taken);
    refused.close();
  });

  test('take up no place', async () => {
    const streams = await Promise.all(
      Array.from({ length: MAX_IN_FLIGHT + 1 }, () => watch({ ...holdfast, key: key.key })),
    );
    for (const { head } of streams) expect(head).toContain(' 200 ');
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    for (const stream of streams) stream.close();
  });
});

describe('refusals', () => {
  test('are counted, and told in the log, in one line for many', async () => {
    const instance = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT), METRICS_PORT: '0' });
    const [, metricsUrl = ''] = /"metricsUrl":"([^"]+)"/.exec(instance.output()) ?? [];
    const count = async () =>
      parseSamples(await (await fetch(metricsUrl)).text()).get('holdfast_overload_refusals_total');
    expect(await count()).toBe(0);
    const all = callers(MAX_IN_FLIGHT + 20, instance);
    for (const caller of all) caller.head(256);
    await until('they are refused', () => all.filter(({ answers }) => answers.length > 0).length === 20);
    await until('they are counted', async () => (await count()) === 20);
    const lines = () => instance.output().split('overloaded').length - 1;
    await until('they are told', () => lines() > 0);
    expect(lines()).toBeLessThanOrEqual(2);
    instance.kill('SIGKILL');
  });
});

describe('large bodies', () => {
  test('are taken up to 8 MiB of them together; smaller ones besides', async () => {
    const instance = await start();
    const MIB = 1_048_576;
    const all = callers(9, instance);
    const [refused, taken] = await fill(all, MIB);
    expect(await refused.answer()).toEqual(REFUSED);
    // One that does not say how large it is may be large.
    const undeclared = new Caller(instance).head(undefined);
    expect(await undeclared.answer()).toEqual(REFUSED);
    const small = new Caller(instance).head(16_384).body(body(16_384));
    expect((await small.answer()).status).toBe(200);
    // So large that it is refused unread: its answer says so.
    const tooLarge = new Caller(instance).head(MIB + 1);
    expect((await tooLarge.answer()).status).toBe(413);
    await finish(taken, MIB);
    instance.kill('SIGKILL');
  });
});

describe('a turn of the event loop', () => {
  test('that lasts too long takes no more; but 256 always', { timeout: 60_000 }, async () => {
    const instance = await start();
    const [CALLERS, ALWAYS, ITEMS] = [400, 256, 300];
    const all = callers(CALLERS, instance);
    // Each is known to the instance, by an answer, before that stands still.
    for (const caller of all) caller.head(0, 'GET /healthz');
    for (const caller of all) await caller.answer();
    // All that comes meanwhile is there in its next turn; that many batches take any machine longer than 25 ms.
    instance.kill('SIGSTOP');
    for (const caller of all) {
      const text = JSON.stringify(Array.from({ length: ITEMS }, () => item()));
      await caller.head(text.length).body(text).flushed();
    }
    instance.kill('SIGCONT');
    const isRefused = ({ answers }: Caller) => JSON.stringify(answers).includes('Nothing was done');
    await until('all are answered', () => all.every(({ answers }) => answers.length === 2), 40_000);
    const refused = all.filter(isRefused).length;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(CALLERS - ALWAYS);
    // It is itself again.
    expect((await get(instance, '/api/v1/Resource/available/r')).status).toBe(200);
    instance.kill('SIGKILL');
  });
});

describe('a request that does not come in whole', () => {
  test('gives its place up after 10 s', async () => {
    const all = callers(MAX_IN_FLIGHT, holdfast);
    for (const caller of all) caller.head(256).body('[');
    await until('they are cut off', () => all.every(({ isClosed }) => isClosed), 18_000);
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
  });
});
