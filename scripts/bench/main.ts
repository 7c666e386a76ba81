/**
 * `npm run bench`: what the service does beside a ceiling measured in the same run, in turn, three rounds, medians; and what a
 * million reservations cost. About two minutes; all of it on this machine.
 */
import { Redis } from 'ioredis';
import { redisAddress } from '../../src/engine/redis.ts';
import { makeKey } from '../../src/identity/credentials.ts';
import { startRedis } from '../redisServer.ts';
import { Connection } from './client.ts';
import { pinApart, residentKiB, startServer, stopServers } from './servers.ts';
import { longestMs, watchSlow } from './slowlog.ts';

const ROUNDS = 3;
const ROUND_MS = 3000;
const MILLION = 1_000_000;
const KEY = makeKey('bench');

const redisServer = await startRedis((line) => console.log(line));
const redis = new Redis(redisAddress(redisServer.url));
const API_KEYS = JSON.stringify([{ key: KEY, tenant: 'bench', tier: 'Enterprise' }]);
/** Limits that nothing here reaches, but which are charged and told in headers. */
const TIERS = JSON.stringify({ Enterprise: { writesPerMinute: 1e9, readsPerMinute: 1e9, reservations: 1e9 } });
const env = { REDIS_URL: redisServer.url, PORT: '0', API_KEYS, TIERS };
const service = await startServer('src/main.ts', env);
const measured = await startServer('src/main.ts', { ...env, METRICS_PORT: '0' });
const ceiling = await startServer('scripts/bench/ceiling.ts', {});
pinApart([service.pid, measured.pid, ceiling.pid], [process.pid, redisServer.pid]);

let fresh = 0;
try {
  await throughput();
  await million();
} finally {
  stopServers();
  redis.disconnect();
}
await redisServer.stop();

async function throughput(): Promise<void> {
  for (const connections of [64, 1]) {
    const at = await inTurn({
      ceiling: () => load(ceiling.port, connections, single),
      cycle: () => load(service.port, connections, cycle(1)),
    });
    const requests = at.cycle.perSecond * 2;
    row(`ceiling, ${connections} connections`, `${round(at.ceiling.perSecond)} requests/s, p50 ${ms(at.ceiling.p50)}`);
    row(
      `reserve + unreserve, ${connections} connections`,
      `${round(at.cycle.perSecond)} cycles/s = ${round(requests)} requests/s, ${ratio(requests, at.ceiling.perSecond)} of the ceiling, p50 of a cycle ${ms(at.cycle.p50)}, p99 ${ms(at.cycle.p99)}`,
    );
  }
  const reserves = await inTurn({
    ceiling: () => load(ceiling.port, 64, single),
    reserve: () => load(service.port, 64, single),
    measured: () => load(measured.port, 64, single),
  });
  row(
    'reserve of a fresh resource with a lease, 64 connections',
    `${round(reserves.reserve.perSecond)} requests/s, ${ratio(reserves.reserve.perSecond, reserves.ceiling.perSecond)} of the ceiling; with METRICS_PORT ${ratio(reserves.measured.perSecond, reserves.reserve.perSecond)} of that`,
  );
  for (const [size, connections] of [
    [100, 16],
    [500, 8],
  ] as const) {
    const { batch } = await inTurn({ batch: () => load(service.port, connections, cycle(size)) });
    row(
      `batches of ${size}, ${connections} connections`,
      `${round(batch.perSecond * size)} reserve + unreserve cycles of an item/s`,
    );
  }
}

async function million(): Promise<void> {
  for (const lease of [undefined, 86_400]) {
    await redis.flushall();
    await watchSlow(redis, 2000);
    await post(service.port, 'reserve', JSON.stringify([item('first')]));
    const before = await usedMemory();
    const connections = open(service.port, 8);
    let next = 0;
    await Promise.all(
      connections.map(async (connection) => {
        while (next < MILLION) {
          const start = next;
          next += 500;
          const items = Array.from({ length: 500 }, (_, i) =>
            item(`resource-${String(start + i).padStart(7, '0')}`, lease),
          );
          await connection.post('/api/v1/Reservation/reserve', JSON.stringify(items));
        }
      }),
    );
    for (const connection of connections) connection.close();
    const bytes = ((await usedMemory()) - before) / MILLION;
    row(
      `memory of a reservation at 1,000,000, ${lease ? 'with a lease' : 'plain'}`,
      `${bytes.toFixed(1)} bytes of Redis`,
    );
    row('  longest Redis command while filling', await slowest());
  }
  await watchSlow(redis, 2000);
  const rss = residentKiB(service.pid);
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${service.port}/api/v1/Reservation/activeReservations`, {
    headers: { 'X-Api-Key': KEY },
  });
  let count = 0;
  let chunks = 0;
  let peak = rss;
  for await (const chunk of response.body ?? []) {
    count += Buffer.from(chunk).toString('latin1').split('"resource":').length - 1;
    // Seldom, since it costs more than what is measured.
    if (chunks++ % 100 === 0) peak = Math.max(peak, residentKiB(service.pid));
  }
  row(
    'activeReservations at 1,000,000',
    `${((performance.now() - start) / 1000).toFixed(1)} s, ${count} seen in whole chunks, the server grew by ${round((peak - rss) / 1024)} MiB`,
  );
  row('  longest Redis command meanwhile', await slowest());
}

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Measures each in turn, several rounds; gives medians. */
async function inTurn<Name extends string>(
  measures: Record<Name, () => Promise<Measured>>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(measures) as Name[];
  const all = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<Name, Measured[]>;
  for (let i = 0; i < ROUNDS; i++) for (const name of names) all[name].push(await measures[name]());
  const median = (name: Name) => all[name].toSorted((a, b) => a.perSecond - b.perSecond)[ROUNDS >> 1];
  return Object.fromEntries(names.map((name) => [name, median(name)])) as Record<Name, Measured>;
}

async function load(port: number, connections: number, work: (c: Connection) => Promise<void>): Promise<Measured> {
  const opened = open(port, connections);
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(
    opened.map(async (connection) => {
      for (let now = performance.now(); now - start < ROUND_MS; ) {
        await work(connection);
        const then = now;
        now = performance.now();
        times.push(now - then);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const connection of opened) connection.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

async function single(connection: Connection): Promise<void> {
  await connection.post('/api/v1/Reservation/reserve', JSON.stringify([item(`fresh-${fresh++}`, 60)]));
}

function cycle(size: number) {
  return async (connection: Connection): Promise<void> => {
    const items = Array.from({ length: size }, () => item(`cycle-${fresh++}`, 60));
    const results = await connection.post('/api/v1/Reservation/reserve', JSON.stringify(items));
    await connection.post('/api/v1/Reservation/unreserve', results);
  };
}

function item(resource: string, ttlSeconds?: number) {
  return { resource, requester: 'worker-1', ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
}

function open(port: number, connections: number): Connection[] {
  const head = `Host: 127.0.0.1:${port}\r\nX-Api-Key: ${KEY}\r\nContent-Type: application/json\r\n`;
  return Array.from({ length: connections }, () => new Connection(port, head));
}

async function post(port: number, verb: string, body: string): Promise<void> {
  const [connection] = open(port, 1);
  await connection?.post(`/api/v1/Reservation/${verb}`, body);
  connection?.close();
}

async function usedMemory(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

async function slowest(): Promise<string> {
  const longest = await longestMs(redis);
  return longest === null ? 'under 2 ms' : ms(longest);
}

function row(name: string, figures: string): void {
  console.log(`${name.padEnd(60)} ${figures}`);
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function ratio(value: number, of: number): string {
  return (value / of).toFixed(2);
}
