/**
 * Three instances behind a real load balancer, HAProxy (deploy/haproxy.cfg) and nginx (deploy/nginx.conf): restarted
 * one after the other, and killed, under load.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../scripts/freePort.ts';
import { FAILURE_CODES } from '../../src/domain/errors.ts';
import { type Balancer, startBalancer } from '../support/haproxy.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { type InstanceProcess, startProcess } from '../support/process.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Subscriber, watch } from '../support/watch.ts';

const CALLERS = 6;
const READERS = 3;
const key = makeConfiguredKey(makeTenant());

let ports: number[];
let instances: InstanceProcess[];
let balancer: Balancer;

const start = (port: number) =>
  startProcess({
    PORT: String(port),
    REDIS_URL: inject('redisUrl'),
    API_KEYS: JSON.stringify([key]),
    ROLE: 'api',
    TIERS: '{"Enterprise": {"writesPerMinute": null}}',
    TRUSTED_PROXIES: '1',
    MAX_FAILED_AUTHENTICATIONS: '5',
    // The balancer asks every 200 ms, and twice.
    DRAIN_DELAY_SECONDS: '1',
  });

beforeAll(async () => {
  ports = [await freePort(), await freePort(), await freePort()];
  instances = await Promise.all(ports.map(start));
});
afterAll(() => {
  for (const instance of instances) instance.kill('SIGKILL');
});

const BALANCERS = [
  { name: 'HAProxy', startBefore: startBalancer, isHere: true, callers: ['127.0.0.3', '127.0.0.4'] },
  { name: 'nginx', startBefore: startNginx, isHere: hasNginx, callers: ['127.0.0.5', '127.0.0.6'] },
];

const FailureBody = z.strictObject({ error: z.string(), code: z.string() });

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Calls through the balancer; an error of the connection is an answer too. */
async function call(agent: Agent, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  try {
    const answer = await request(`${balancer.url}${path}`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'X-Api-Key': key.key, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.statusCode, body: await answer.body.text() };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}

/** Callers that reserve three resources each in one step, and keep what they got until it is looked at. */
class Load {
  readonly applied = new Set<string>();
  readonly failed: Answer[] = [];
  readonly #agent = new Agent({ connections: CALLERS });
  #isOver = false;
  readonly #name: string;
  readonly #callers: Promise<void>[];

  constructor(name: string) {
    this.#name = name;
    this.#callers = Array.from({ length: CALLERS }, (_, caller) => this.#call(`${name} ${caller}`));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
    await this.#agent.close();
  }

  async #call(caller: string): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const requester = `${caller} ${i}`;
      const requests = ['a', 'b', 'c'].map((resource) => ({
        requestType: 'RESERVE',
        resource: `${resource} of ${requester}`,
        requester,
        ttlSeconds: 600,
      }));
      const answer = await call(this.#agent, '/api/v1/Reservation/transaction', { method: 'ALL_OR_NONE', requests });
      if (answer.status === 200 && JSON.parse(answer.body).status === 'APPLIED') this.applied.add(requester);
      else this.failed.push(answer);
    }
  }

  /** Number of reservations that each of its requesters has. */
  async held(): Promise<Map<string, number>> {
    const response = await fetch(`${balancer.url}/api/v1/Reservation/activeReservations`, {
      headers: { 'X-Api-Key': key.key },
    });
    const all = z.array(z.object({ requester: z.string() })).parse(await response.json());
    const counts = new Map<string, number>();
    for (const { requester } of all)
      if (requester.startsWith(this.#name)) counts.set(requester, (counts.get(requester) ?? 0) + 1);
    return counts;
  }
}

/** A reader that connects again whenever its stream ends, as an EventSource does. */
class Reader {
  readonly streams: Subscriber[] = [];
  #isOver = false;
  readonly #reading = (async () => {
    while (!this.#isOver) {
      const stream = await watch({ url: balancer.url, key: key.key });
      this.streams.push(stream);
      await until('its end', () => stream.ended !== 'no' || this.#isOver, 120_000);
    }
  })();

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#reading;
    this.streams.at(-1)?.close();
  }
}

/** A caller that waits for a resource, and repeats its call while the answer is WAITING. */
class Waiter {
  readonly statuses: unknown[] = [];
  readonly done: Promise<void>;

  constructor(resource: string) {
    this.done = this.#wait({ resource, requester: 'waiter', ttlSeconds: 600, waitSeconds: 600 });
  }

  async #wait(item: unknown): Promise<void> {
    const agent = new Agent();
    do {
      const { status, body } = await call(agent, '/api/v1/Reservation/reserve', [item]);
      this.statuses.push(status === 200 ? JSON.parse(body)[0].status : body);
    } while (this.statuses.at(-1) === 'WAITING');
    await agent.close();
  }
}

test('HAProxy’s configuration answers each status with JSON: as the service does', () => {
  const errors = [...readFileSync('deploy/haproxy.cfg', 'utf8').matchAll(/http-error status (\d+) .* string '(.*?)'/g)];
  const statuses = errors.map(([, status]) => Number(status));
  expect(statuses).toEqual([500, 502, 503, 504]);
  for (const [, , body = ''] of errors) expect(FAILURE_CODES).toContain(FailureBody.parse(JSON.parse(body)).code);
});

describe.each(BALANCERS)('behind $name', ({ name, startBefore, isHere, callers }) => {
  if (!isHere) {
    test.skip(`needs ${name}, which is not installed here`, () => {});
    return;
  }
  beforeAll(async () => {
    balancer = await startBefore(ports);
    await until('it has found the instances', async () => (await fetch(`${balancer.url}/healthz`)).status === 200);
  });
  afterAll(() => balancer.stop());

  test('503 while there is no instance, with a time to wait: in the form of the service’s errors', async () => {
    const alone = await startBefore([await freePort()]);
    const answer = await fetch(`${alone.url}/api/v1/Reservation/activeReservations`);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('content-type')]).toEqual([
      503,
      '1',
      'application/json',
    ]);
    expect(FailureBody.parse(await answer.json()).code).toBe('UNAVAILABLE');
    await alone.stop();
  });

  test('an event is delivered as it comes', async () => {
    const stream = await watch({ url: balancer.url, key: key.key });
    expect(stream.head).toContain(' 200 ');
    const agent = new Agent();
    const before = performance.now();
    await call(agent, '/api/v1/Reservation/reserve', [{ resource: `${name} prompt`, requester: 'r', ttlSeconds: 600 }]);
    await stream.count(1);
    // A proxy that gathers what it passes on would keep it for want of more: until a comment comes after 15 s.
    expect(performance.now() - before).toBeLessThan(10_000);
    stream.close();
    await agent.close();
  });

  test('failures to authenticate are counted by the address that the balancer saw, whatever the client says', async () => {
    const [guessing = new Agent(), other = new Agent()] = callers.map((localAddress) => new Agent({ localAddress }));
    const guess = (agent: Agent, i: number) =>
      call(agent, '/api/v1/Reservation/check', [{ resource: 'r' }], {
        'X-Api-Key': makeConfiguredKey(key.tenant).key,
        'X-Forwarded-For': `192.0.2.${i}`,
      });
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await guess(guessing, i)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await guess(other, 7)).status).toBe(401);
    await Promise.all([guessing.close(), other.close()]);
  });

  test('a rolling restart fails no request and no call that is held, and ends streams in good order', async () => {
    const load = new Load(`${name} rolling`);
    const agent = new Agent();
    const contended = { resource: `${name} contended`, requester: 'holder' };
    const held = await call(agent, '/api/v1/Reservation/reserve', [contended]);
    const waiter = new Waiter(contended.resource);
    const readers = Array.from({ length: READERS }, () => new Reader());
    await until(
      'all are under way',
      () => load.applied.size > 100 && readers.every(({ streams }) => streams.length > 0),
    );
    for (const [i, port] of ports.entries()) {
      const instance = instances[i];
      instance?.kill('SIGTERM');
      expect(await instance?.exit, instance?.output()).toBe(0);
      instances[i] = await start(port);
      const applied = load.applied.size;
      await until('calls go on', () => load.applied.size > applied + 100);
    }
    await load.stop();
    const streams = readers.flatMap((reader) => reader.streams);
    const cutOff = streams.filter(({ ended }) => ended === 'cut off');
    await Promise.all(readers.map((reader) => reader.stop()));
    await call(agent, '/api/v1/Reservation/unreserve', [
      { ...contended, releaseToken: JSON.parse(held.body)[0].releaseToken },
    ]);
    await waiter.done;
    await agent.close();
    console.log(`${load.applied.size} calls, ${streams.length} streams`);

    expect(load.failed.slice(0, 3)).toEqual([]);
    expect(streams.length).toBeGreaterThan(READERS);
    for (const { head } of streams) expect(head).toContain(' 200 ');
    expect(cutOff).toEqual([]);
    // Instances that leave answer what they hold, and the caller goes on with the next one.
    expect(waiter.statuses).toEqual([...waiter.statuses.slice(1).map(() => 'WAITING'), 'ACQUIRED']);
    expect(waiter.statuses.length).toBeGreaterThan(1);
    const kept = await load.held();
    for (const requester of load.applied) expect(kept.get(requester)).toBe(3);
  });

  test('an instance that is killed fails no more than what it was answering, and leaves nothing half done', async () => {
    const load = new Load(`${name} killed`);
    await until('it is under load', () => load.applied.size > 200);
    instances[0]?.kill('SIGKILL');
    const applied = load.applied.size;
    await until('the others go on', () => load.applied.size > applied + 500);
    await load.stop();
    const [port = 0] = ports;
    instances[0] = await start(port);
    console.log(`${load.applied.size} calls, ${load.failed.length} failed`);
    expect(load.failed.length).toBeLessThanOrEqual(CALLERS);
    const held = await load.held();
    for (const requester of load.applied) expect(held.get(requester)).toBe(3);
    expect([...held.values()].filter((count) => count !== 3)).toEqual([]);
  });
});
