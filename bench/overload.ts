/**
 * `npm run bench:overload`: measures an instance at twice its capacity, and afterwards. Requests are sent at a fixed
 * rate, whether or not earlier ones have a response, and timed from the moment they were due. Takes half a minute;
 * everything runs on this machine.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startRedis } from '../scripts/redisServer.ts';
import { makeKey } from '../src/identity/credentials.ts';
import { Connection } from './client.ts';
import { load, percentilesOf } from './load.ts';
import { freshName, reserveOne } from './requests.ts';
import { pinApart, residentKiB, SERVICE, startServer, stopServers } from './servers.ts';

/** The number of callers of the ordinary load. Each waits for its response. */
const CALLERS = 256;
/**
 * The number of connections of the fixed-rate load. A request that is due while none is free is not sent, as with a
 * full connection pool.
 */
const CONNECTIONS = 2000;
const FULL_MS = 4000;
const USUAL_MS = 4000;
const OVERLOAD_MS = 10_000;
const AFTER_MS = 6000;
/** Time to wait after the last request of a phase. Requests without a response by then are reported. */
const WAIT_MS = 10_000;
/** The rate before and after the overload, as a share of the capacity. */
const USUAL_SHARE = 0.5;
const OVERLOAD = 2;
/** The length of the windows that show the return to normal. */
const WINDOW_MS = 100;

interface Answer {
  /** Time since the phase began. */
  readonly dueMs: number;
  readonly tookMs: number;
  readonly status: number;
}

/** A keep-alive connection that carries one request at a time. */
class Lane {
  readonly #socket: Socket;
  #answered: ((status: number) => void) | undefined;
  #received = '';
  readonly open: Promise<void>;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    this.open = new Promise((resolve) => this.#socket.once('connect', () => resolve()));
    this.#socket.on('data', (chunk: string) => this.#receive(chunk));
    this.#socket.on('error', () => {}); // 'close' follows
    this.#socket.on('close', () => this.#answered?.(0));
  }

  send(request: string, answered: (status: number) => void): void {
    this.#answered = answered;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const [, length] = /content-length: (\d+)/i.exec(this.#received) ?? [];
    if (this.#received.length < headEnd + 4 + Number(length)) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(status);
  }
}

const KEY = makeKey('bench');
const redisServer = await startRedis((line) => console.log(line));
const service = await startServer(SERVICE, {
  REDIS_URL: redisServer.url,
  API_KEYS: JSON.stringify([{ key: KEY, tenant: 'bench', tier: 'Enterprise' }]),
  TIERS: JSON.stringify({ Enterprise: { writesPerMinute: 1e9, readsPerMinute: 1e9, reservations: 1e9 } }),
});
const HEAD = `Host: 127.0.0.1:${service.port}\r\nX-Api-Key: ${KEY}\r\nContent-Type: application/json\r\n`;
pinApart([service.pid], [process.pid, redisServer.pid]);

let lanes: Lane[] = [];
try {
  await bench();
} finally {
  for (const lane of lanes) lane.close();
  await stopServers();
}
await redisServer.stop();

async function bench(): Promise<void> {
  await carry(FULL_MS / 2); // until the code is warm
  const capacity = await carry(FULL_MS);
  row(`what it carries, ${CALLERS} callers`, `${round(capacity)} requests/s`);

  lanes = Array.from({ length: CONNECTIONS }, () => new Lane(service.port));
  await Promise.all(lanes.map(({ open }) => open));
  const idleKiB = await residentKiB(service.pid);
  let peakKiB = idleKiB;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await pause(500)) peakKiB = Math.max(peakKiB, await residentKiB(service.pid));
  })();

  const usual = capacity * USUAL_SHARE;
  const before = await offer(usual, USUAL_MS);
  const during = await offer(capacity * OVERLOAD, OVERLOAD_MS);
  const after = await offer(usual, AFTER_MS);
  isOver = true;
  await watching;

  phase(`before, ${USUAL_SHARE} of that`, before, usual, capacity);
  phase(`during, ${OVERLOAD} of that`, during, capacity * OVERLOAD, capacity);
  phase(`after, ${USUAL_SHARE} of that`, after, usual, capacity);
  row('memory of the instance', `${mib(idleKiB)} with ${CONNECTIONS} connections, ${mib(peakKiB)} at most`);
  const normal = Math.max(...windows(before.answers));
  const back = windows(after.answers).findIndex((p99) => p99 <= normal);
  row(
    'normal again',
    back === -1
      ? `not within ${AFTER_MS} ms`
      : `within ${(back + 1) * WINDOW_MS} ms of the end: p99 below the worst ${WINDOW_MS} ms before, ${ms(normal)}`,
  );
}

/** Returns the responses per second when callers wait for responses. */
async function carry(forMs: number): Promise<number> {
  const connections = Array.from({ length: CALLERS }, () => new Connection(service.port, HEAD));
  const { perSecond } = await load(
    connections.map((connection) => () => reserveOne(connection)),
    {},
    forMs,
  );
  for (const connection of connections) connection.close();
  return perSecond;
}

interface Offered {
  readonly total: number;
  readonly answers: readonly Answer[];
  /** Time until the last response, or until the wait for it ended. */
  readonly seconds: number;
  /** CPU time of the load itself, in cores. */
  readonly load: number;
  /** Requests that were sent more than 10 ms late: the load was slow, not the instance. */
  readonly late: number;
  /** Requests that found no free connection. */
  readonly unsent: number;
}

/**
 * Sends requests at a rate, each on the connection that has been free for longest, and waits for all responses.
 */
async function offer(perSecond: number, forMs: number): Promise<Offered> {
  const total = Math.floor((perSecond * forMs) / 1000);
  const answers: Answer[] = [];
  const start = performance.now();
  const cpu = process.cpuUsage();
  const free = [...lanes];
  let late = 0;
  let unsent = 0;
  let isOver = false;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, forMs + WAIT_MS).unref();
    let sent = 0;
    let taken = 0;
    const tick = () => {
      const now = performance.now() - start;
      const due = Math.min(total, Math.floor((now * perSecond) / 1000));
      for (; sent < due; sent++) {
        const dueMs = (sent * 1000) / perSecond;
        if (now - dueMs > 10) late++;
        const lane = free[taken];
        if (lane === undefined) {
          unsent++;
          continue;
        }
        taken++;
        lane.send(request(), (status) => {
          free.push(lane);
          if (isOver) return;
          answers.push({ dueMs, tookMs: performance.now() - start - dueMs, status });
          if (sent === total && answers.length + unsent === total) resolve();
        });
      }
      if (sent < total) setTimeout(tick, 1);
      else if (answers.length + unsent === total) resolve();
    };
    tick();
  });
  const { user, system } = process.cpuUsage(cpu);
  isOver = true;
  const seconds = (performance.now() - start) / 1000;
  return { total, answers, seconds, load: (user + system) / 1e6 / seconds, late, unsent };
}

function phase(name: string, offered: Offered, perSecond: number, capacity: number): void {
  const { total, answers, seconds, load, late, unsent } = offered;
  const of = (wanted: (status: number) => boolean) => answers.filter(({ status }) => wanted(status));
  const good = of((status) => status === 200);
  const refused = of((status) => status === 503);
  const other = answers.length - good.length - refused.length;
  const goodput = good.length / seconds;
  row(
    name,
    `${round(perSecond)} offered/s, ${round(goodput)} answered/s = ${(goodput / capacity).toFixed(2)} of what it carries, ${times(good)}`,
  );
  if (refused.length > 0)
    row('  refused', `${((100 * refused.length) / answers.length).toFixed(0)} %, ${times(refused)}`);
  if (other > 0) row('  neither', `${other}`);
  if (unsent > 0) row('  not sent', `${((100 * unsent) / total).toFixed(0)} % of all: no connection was free`);
  if (answers.length + unsent < total)
    row('  not answered', `${round(total - answers.length - unsent)}, ${WAIT_MS / 1000} s after the last`);
  row(
    '  the load itself',
    `${load.toFixed(2)} of its core, ${((100 * late) / total).toFixed(1)} % sent more than 10 ms late`,
  );
}

/** Returns the p99 of the response times in each window of a phase. */
function windows(answers: readonly Answer[]): number[] {
  const all: number[][] = [];
  for (const { dueMs, tookMs } of answers) {
    const at = Math.floor(dueMs / WINDOW_MS);
    all[at] ??= [];
    all[at].push(tookMs);
  }
  return all.map((took) => percentilesOf(took).p99Ms);
}

function times(answers: readonly Answer[]): string {
  if (answers.length === 0) return 'none';
  const { p50Ms, p99Ms } = percentilesOf(answers.map(({ tookMs }) => tookMs));
  return `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`;
}

function request(): string {
  const text = JSON.stringify([{ resource: freshName(), requester: 'worker-1', ttlSeconds: 60 }]);
  return `POST /api/v1/Reservation/reserve HTTP/1.1\r\n${HEAD}Content-Length: ${text.length}\r\n\r\n${text}`;
}

function row(name: string, figures: string): void {
  console.log(`${name.padEnd(36)} ${figures}`);
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function mib(kib: number): string {
  return `${Math.round(kib / 1024)} MiB`;
}
