/**
 * `npm run bench:events`: how soon an event is at a subscriber of another instance, how many are delivered to 1, 100 and 1,000
 * streams beside a bare loop that writes each event to as many sockets, and what an idle stream costs. About a minute.
 */
import { connect, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { UNLIMITED } from '../../src/domain/tiers.ts';
import { redisAddress } from '../../src/engine/redis.ts';
import { makeKey } from '../../src/identity/credentials.ts';
import { startRedis } from '../redisServer.ts';
import { Connection } from './client.ts';
import { pinApart, residentKiB, startServer, stopServers } from './servers.ts';

const ROUNDS = 3;
const BURST = 500;
const BURSTS = 20;
const KEY = makeKey('bench');
const FRAME = `event: RESERVED\ndata: {"type":"RESERVED","tenantId":"bench","resource":"resource-000001","requester":"worker-1","explanation":"ACQUIRED","resourceType":"UserDefined","apiKeyLabel":null,"requestType":"RESERVE","timestamp":"2026-01-31T12:00:30.000Z","method":null,"changes":null,"limitType":null,"limit":null}\n\n`;

const redisServer = await startRedis((line) => console.log(line));
const redis = new Redis(redisAddress(redisServer.url));
const env = {
  REDIS_URL: redisServer.url,
  PORT: '0',
  TIERS: JSON.stringify({ Enterprise: UNLIMITED }),
  API_KEYS: JSON.stringify([{ key: KEY, tenant: 'bench', tier: 'Enterprise' }]),
};
try {
  const one = await startServer('src/main.ts', env);
  const other = await startServer('src/main.ts', env);
  const ceiling = await startServer('scripts/bench/streams.ts', {});
  pinApart([one.pid, other.pid, ceiling.pid], [process.pid, redisServer.pid]);
  await latency(one.port, other.port);
  await memory(other);
  for (const count of [1, 100, 1000]) await deliveries(count, one.port, ceiling.port);
} finally {
  stopServers();
  redis.disconnect();
}
await redisServer.stop();

async function latency(port: number, otherPort: number): Promise<void> {
  const arrived = new Map<string, (at: number) => void>();
  const [stream] = await openStreams(otherPort, 1, (text) => {
    const at = performance.now();
    for (const [, resource] of text.matchAll(/"resource":"([^"]+)"/g)) arrived.get(resource ?? '')?.(at);
  });
  const head = `Host: 127.0.0.1\r\nX-Api-Key: ${KEY}\r\nContent-Type: application/json\r\n`;
  const connection = new Connection(port, head);
  const times: number[] = [];
  for (let i = 0; i < 2000; i++) {
    const resource = `latency-${i}`;
    const event = new Promise<number>((resolve) => arrived.set(resource, resolve));
    await connection.post('/api/v1/Reservation/reserve', JSON.stringify([{ resource, requester: 'r' }]));
    const answeredAt = performance.now();
    times.push((await event) - answeredAt);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  connection.close();
  stream?.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(2)} ms`;
  console.log(
    `from the answer of a reserve to its event at another instance: p50 ${at(0.5)}, p99 ${at(0.99)} (negative: before it)`,
  );
}

async function memory({ port, pid }: { port: number; pid: number }): Promise<void> {
  const streams = await openStreams(port, 200, () => {});
  const before = residentKiB(pid);
  streams.push(...(await openStreams(port, 2000, () => {})));
  console.log(`memory of an idle stream: ${((residentKiB(pid) - before) / 2000).toFixed(1)} KiB`);
  for (const stream of streams) stream.destroy();
}

async function deliveries(count: number, port: number, ceilingPort: number): Promise<void> {
  const bursts = Math.max(2, Math.round(BURSTS / Math.sqrt(count / 10 + 1)));
  const perSecond = { service: [] as number[], ceiling: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    perSecond.ceiling.push(
      await burst(ceilingPort, count, bursts, async () => {
        const body = JSON.stringify({ frame: FRAME, count: BURST });
        await fetch(`http://127.0.0.1:${ceilingPort}/write`, { method: 'POST', body });
      }),
    );
    perSecond.service.push(
      await burst(port, count, bursts, async () => {
        const publishing = redis.pipeline();
        for (let i = 0; i < BURST; i++) publishing.call('SPUBLISH', '{bench}:events', FRAME);
        await publishing.exec();
      }),
    );
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  const [service, ceiling] = [median(perSecond.service), median(perSecond.ceiling)];
  const round = (value: number) => Math.round(value).toLocaleString('en');
  console.log(
    `${count} streams: ${round(service)} deliveries/s, a bare loop ${round(ceiling)}: ${(service / ceiling).toFixed(2)} of it`,
  );
}

/** Has bursts of events sent, each when the one before has arrived everywhere; gives deliveries a second. */
async function burst(port: number, count: number, bursts: number, send: () => Promise<void>): Promise<number> {
  let received = 0;
  let expected = 0;
  let done = () => {};
  const streams = await openStreams(port, count, (text) => {
    // One brace an event, which no boundary between packets can split.
    received += text.split('{').length - 1;
    if (received >= expected) done();
  });
  const start = performance.now();
  for (let i = 0; i < bursts; i++) {
    expected += BURST * count;
    const arrived = new Promise<void>((resolve) => {
      done = resolve;
    });
    await send();
    if (received < expected) await arrived;
  }
  const seconds = (performance.now() - start) / 1000;
  for (const stream of streams) stream.destroy();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return expected / seconds;
}

async function openStreams(port: number, count: number, onText: (text: string) => void): Promise<Socket[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1').setEncoding('latin1').on('error', reject);
          socket.once('data', (head: string) => {
            if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head));
            resolve(socket);
          });
          socket.on('data', onText);
          socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${KEY}\r\n\r\n`);
        }),
    ),
  );
}
