/**
 * Overload: what is more than an instance can do is refused at once, and what it has taken is answered. Requests are
 * kept in flight by keeping back large bodies, with valid keys of many tenants, so nothing here depends on how fast the
 * machine is.
 */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeKey } from '../../src/identity/credentials.ts';
import { type InstanceProcess, startProcess } from '../support/process.ts';
import { parseSamples } from '../support/samples.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

const MAX_IN_FLIGHT = 8;
const key = makeConfiguredKey(makeTenant());
const keys = [key, ...Array.from({ length: 31 }, () => makeConfiguredKey(makeTenant()))];
const REFUSED = {
  status: 503,
  retryAfter: '1',
  body: { error: expect.stringContaining('Nothing was done'), code: 'OVERLOADED' },
};
/** Of a body that is read only once the key is known to be valid. */
const LARGE = 20_000;

const start = (env: Record<string, string> = {}) =>
  startProcess({
    REDIS_URL: inject('redisUrl'),
    API_KEYS: JSON.stringify(keys),
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

/** Each with the key of another tenant. */
const callers = (count: number, instance: InstanceProcess) =>
  Array.from({ length: count }, (_, i) => new Caller(instance, keys[i]?.key ?? ''));
let named = 0;
const item = () => ({ resource: `r${named++}`, requester: 'a', ttlSeconds: 60 });
/** A body of exactly so many bytes. */
const body = (bytes = 256) => JSON.stringify([item()]).padEnd(bytes);
const get = (instance: InstanceProcess, path: string) =>
  fetch(instance.url + path, { headers: { 'X-Api-Key': key.key } });

/** Sends heads only, of which one more than fits; gives who was refused, the first to be answered, and the others. */
async function fill(all: readonly Caller[], bytes = LARGE): Promise<[Caller, Caller[]]> {
  for (const caller of all) caller.head(bytes);
  const refused = await until('a refusal', () => all.find(({ answers }) => answers.length > 0));
  return [refused, all.filter((caller) => caller !== refused)];
}

/** Sends the bodies: all are answered, so that none is in flight any more. */
async function finish(taken: readonly Caller[], bytes = LARGE): Promise<void> {
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
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
    expect(await refused.answer()).toEqual(REFUSED);
    expect(taken.map(({ answers }) => answers.length)).toEqual(taken.map(() => 0));
    await finish(taken);
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    refused.close();
  });

  test('and a place is free again when a caller has gone away', async () => {
    const [refused, [first, ...others]] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
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
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
    for (const path of ['/healthz', '/readyz']) expect([path, (await get(holdfast, path)).status]).toEqual([path, 200]);
    await finish(taken);
    refused.close();
  });
});

describe('streams of events', () => {
  test('are opened though all places are taken: an EventSource would not come again', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
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
    for (const caller of all) caller.head(LARGE);
    await until('they are refused', () => all.filter(({ answers }) => answers.length > 0).length === 20);
    await until('they are counted', async () => (await count()) === 20);
    const lines = () => instance.output().split('overloaded').length - 1;
    await until('they are told', () => lines() > 0);
    expect(lines()).toBeLessThanOrEqual(2);
    instance.kill('SIGKILL');
  });
});

describe('large bodies', () => {
  const MIB = 1_048_576;

  test('are taken up to 8 MiB of what has arrived of them; smaller ones besides', async () => {
    const instance = await start();
    const all = callers(8, instance);
    const HELD_BACK = 100;
    const most = body(MIB).slice(0, -HELD_BACK);
    for (const caller of all) await caller.head(MIB).body(most).flushed();
    // None of them is to count as stalled, however slow the machine is.
    let dripped = 0;
    const dripping = setInterval(() => {
      dripped++;
      for (const caller of all) caller.body(' ');
    }, 500);
    const large = new Caller(instance, keys[8]?.key ?? '');
    // Each answer takes a turn of the event loop, and each turn takes a piece of every body that is in the kernel's
    // hands.
    for (let turn = 0; turn < 100; turn++) await (await fetch(`${instance.url}/healthz`)).text();
    expect(await large.head(LARGE).body(body(LARGE)).answer()).toEqual(REFUSED);
    // One that does not say how large it is may be large.
    const undeclared = new Caller(instance, key.key).head(undefined).body(chunk(body(LARGE)));
    const small = new Caller(instance, key.key).head(16_384).body(body(16_384));
    // So large that it is refused unread: its answer says so.
    const tooLarge = new Caller(instance, key.key).head(MIB + 1);
    expect(await undeclared.answer()).toEqual(REFUSED);
    expect((await small.answer()).status).toBe(200);
    expect(await tooLarge.answer()).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
    clearInterval(dripping);
    for (const caller of all) caller.body(' '.repeat(HELD_BACK - dripped));
    for (const caller of all) expect((await caller.answer()).status).toBe(200);
    instance.kill('SIGKILL');
  });

  test('of one tenant leave room for those of others while they arrive', async () => {
    const instance = await start();
    const hog = Array.from({ length: 8 }, () => new Caller(instance, key.key));
    for (const caller of hog) await caller.head(MIB).body(body(MIB).slice(0, -1)).flushed();
    await until('half of them are refused', () => hog.filter(({ answers }) => answers.length > 0).length === 4);
    for (const caller of hog.filter(({ answers }) => answers.length > 0))
      expect(await caller.answer()).toEqual(REFUSED);
    const other = new Caller(instance, keys[1]?.key ?? '').head(MIB).body(body(MIB));
    expect((await other.answer()).status).toBe(200);
    instance.kill('SIGKILL');
  });

  test('without a valid key are refused before they are read, and take nobody’s room', async () => {
    const instance = await start();
    const begin = performance.now();
    const unknown = Array.from({ length: 20 }, () => new Caller(instance, makeKey(key.tenant)).head(MIB));
    for (const caller of unknown)
      expect(await caller.answer()).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    // That is, before the body is given up, after 5 s.
    expect(performance.now() - begin).toBeLessThan(4500);
    const items = JSON.stringify(Array.from({ length: 400 }, item));
    expect(items.length).toBeGreaterThan(16_384);
    expect((await new Caller(instance, key.key).head(items.length).body(items).answer()).status).toBe(200);
    instance.kill('SIGKILL');
  });
});

/** As a body that comes in chunks. */
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

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

describe('a body that does not come', () => {
  test('keeps nobody out, however many there are', async () => {
    const waiting = Array.from({ length: 4 * MAX_IN_FLIGHT }, () => new Caller(holdfast, key.key).head(256).body('['));
    await Promise.all(waiting.map((caller) => caller.flushed()));
    for (const one of callers(3, holdfast)) {
      await one.head(256).flushed();
      expect((await one.body(body()).answer()).status).toBe(200);
    }
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    expect(waiting.filter(({ answers }) => answers.length > 0)).toEqual([]);
    for (const caller of waiting) caller.close();
  });

  // These wait for real time, side by side.
  test.concurrent.each([
    ['small', 256],
    ['large', LARGE],
  ])('%s: is cut off after 5 s', { timeout: 20_000 }, async (_, bytes) => {
    const begin = performance.now();
    const one = new Caller(holdfast, key.key).head(bytes).body('[');
    expect(await one.answer()).toMatchObject({ status: 408, body: { code: 'BODY_TIMEOUT' } });
    expect(performance.now() - begin).toBeGreaterThan(4900);
    expect(performance.now() - begin).toBeLessThan(9000);
    await until('it is closed', () => one.isClosed);
  });

  test.concurrent('bit by bit: is cut off after 10 s', { timeout: 20_000 }, async () => {
    const one = new Caller(holdfast, key.key).head(1000);
    const dripping = setInterval(() => one.body(' '), 1000);
    await until('it is cut off', () => one.isClosed, 18_000);
    clearInterval(dripping);
  });
});

describe('the Host header', () => {
  const ask = async (lines: string, target = 'GET /dashboard') => {
    const socket = connect(Number(new URL(holdfast.url).port), '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (data: string) => {
      text += data;
    });
    socket.write(`${target} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  };

  test.each(['1.2.3.4.5', 'xn--', 'a b', '[::1', 'a@b', 'a/b', 'a%41', 'evil.com:99999', ''])(
    '%j: 400',
    async (host) => {
      for (const target of ['GET /dashboard', 'POST /dashboard/sign-in', 'GET /api/v1/Resource/tree', 'GET /healthz']) {
        const answer = await ask(`Host: ${host}`, target);
        expect(answer).toMatch(/^HTTP\/1.1 400 /);
        expect(answer).toContain('Holdfast-Error: INVALID_HOST');
      }
      const chunked = await ask(`Host: ${host}\r\nTransfer-Encoding: chunked`, 'POST /api/v1/Reservation/reserve');
      expect(chunked).toMatch(/^HTTP\/1.1 400 /);
    },
  );

  test('twice: 400', async () => {
    expect(await ask('Host: a\r\nhost: a')).toMatch(/^HTTP\/1.1 400 /);
  });

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:65535', '[::1]:8080', 'a_b.example.'])(
    '%j is one',
    async (host) => {
      expect(await ask(`Host: ${host}`, 'GET /healthz')).toMatch(/^HTTP\/1.1 200 /);
    },
  );
});

describe('requests that are pipelined', () => {
  test('are forgotten when their connection goes, also those that waited behind another one', async () => {
    const instance = await start({ MAX_IN_FLIGHT: '64' });
    const port = Number(new URL(instance.url).port);
    const get = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let i = 0; i < 20; i++)
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(get.repeat(250));
          setTimeout(() => socket.destroy(), 4);
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    // A large body behind a stream that stays open counts among these until its connection goes.
    const stream = `GET /api/v1/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.key}\r\n\r\n`;
    const body = JSON.stringify([{ resource: 'r', requester: 'r' }]).padEnd(900_000);
    const post = `POST /api/v1/Reservation/reserve HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let i = 0; i < 12; i++)
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(stream + post + body));
        socket.once('data', () => setTimeout(() => socket.destroy(), 200));
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    const headers = { 'X-Api-Key': key.key, 'Content-Type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        fetch(`${instance.url}/api/v1/Reservation/reserve`, {
          method: 'POST',
          headers,
          body: JSON.stringify([{ resource: `piped ${i}`, requester: 'r' }]).padEnd(100_000),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    instance.kill('SIGKILL');
  });
});
