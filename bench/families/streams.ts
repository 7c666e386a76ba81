/**
 * Events: the latency to a subscriber of another instance, the rate of deliveries to 1, 100 and 1,000 streams, compared
 * with a bare loop that writes each event to as many sockets, and the memory of an idle stream.
 */

import { eventsChannel, tenantKey } from '../../src/redis/keys.ts';
import { HOT_NUMBERS } from '../../src/redis/layouts.ts';
import { Connection } from '../client.ts';
import { percentilesOf } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { freshName } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { pin, type RunningServer, residentKiB, SERVICE, startServer } from '../servers.ts';
import { headOf, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

/** The size of a burst: at most 500 events, and a limited number of deliveries. */
const burstTo = (streams: number) => Math.min(500, 100_000 / streams);
const ROUND_MS = 600;
/** Where the number of messages is in the tenant's field `hot`, from 1, and where the publisher is. */
const MESSAGES_AT = 1 + bytesBefore('messages');
const PUBLISHER_AT = 1 + bytesBefore(undefined);
/**
 * Publishes an event repeatedly, with the numbers that scripts use. Runs in Redis, so that this process has no cost.
 * KEYS: the channel, the tenant's hash. ARGV: the event, the number of repetitions.
 */
export const PUBLISH = `local hot = redis.call('HGET', KEYS[2], 'hot')
local number = struct.unpack('>I6', hot, ${MESSAGES_AT})
local publisher = struct.unpack('s', hot, ${PUBLISHER_AT})
local rest = ' ' .. publisher .. ' 1769860830000\\n' .. ARGV[1]
for _ = 1, ARGV[2] do
  number = number + 1
  redis.call('SPUBLISH', KEYS[1], 'v2 ' .. number .. rest)
end
local after = string.sub(hot, ${MESSAGES_AT + 6})
redis.call('HSET', KEYS[2], 'hot', string.sub(hot, 1, ${MESSAGES_AT - 1}) .. struct.pack('>I6', number) .. after)`;
const LATENCIES = 400;
const IDLE = 1000;
export const EVENT = `{"type":"RESERVED","expiresAt":null,"requestType":"RESERVE","explanation":"ACQUIRED","resourceType":"UserDefined","apiKeyLabel":null,"acquiredSlots":null,"fencingToken":1795311161344190,"resource":"resource-000001","requester":"worker-1"}`;
/** The same as streams send it. */
export const FRAME = `event: RESERVED\ndata: {"type":"RESERVED","tenantId":"bench","timestamp":"2026-01-31T12:00:30.000Z","method":null,"changes":null,"limitType":null,"limit":null,${EVENT.slice(19)}\n\n`;

export async function streams(stage: Stage, table: Table): Promise<void> {
  const { service, redis, tenant } = stage;
  const [other, bare] = await Promise.all([startServer(SERVICE, stage.env), startServer('bench/bareStreams.ts', {})]);
  pin(0, [other.pid, bare.pid]);

  const latencies = new Series(() => latency(stage, other));
  await inTurn([latencies]);
  for (const name of ['p50', 'p99'] as const)
    table.add({
      what: `event at another instance after the answer, idle: ${name}`,
      figure: latencies.figure((round) => round[`${name}Ms`]),
      unit: 'ms',
      target: name === 'p99' ? { of: 'figure', atMost: 5 } : undefined,
    });

  const besides = [];
  for (const server of [other, bare]) {
    const before = await residentKiB(server.pid);
    const idle = await openStreams(server.port, tenant.key, IDLE);
    besides.push(figureOf([((await residentKiB(server.pid)) - before) / IDLE]));
    for (const stream of idle) stream.destroy();
  }
  const [perStream, perSocket] = besides;
  if (perStream && perSocket)
    table.add({
      what: `memory of an idle stream, of ${IDLE.toLocaleString('en')}`,
      figure: perStream,
      unit: 'KiB',
      beside: { what: 'bare server', figure: perSocket },
    });
  await other.stop();

  for (const count of [1, 100, 1000]) {
    const most = new Series(() =>
      deliveries(bare.port, tenant.key, count, async () => {
        const body = JSON.stringify({ frame: FRAME, count: burstTo(count) });
        await fetch(`http://127.0.0.1:${bare.port}/write`, { method: 'POST', body });
      }),
    );
    const events = new Series(() =>
      deliveries(service.port, tenant.key, count, () =>
        redis.eval(PUBLISH, 2, eventsChannel(tenant.tenant), tenantKey(tenant.tenant), EVENT, burstTo(count)),
      ),
    );
    await inTurn([most, events]);
    table.add({
      what: `events to ${count.toLocaleString('en')} stream${count === 1 ? '' : 's'}`,
      figure: events.figure(Number),
      unit: 'deliveries/s',
      beside: { what: 'bare loop', figure: most.figure(Number) },
      // A single stream shares the cost of reading a message with no other.
      target: { of: 'ratio', atLeast: count === 1 ? 0.6 : 1 },
    });
  }
  await bare.stop();
}

/** Returns how many bytes of the field `hot` precede one of its numbers, or all that follows them. */
function bytesBefore(name: string | undefined): number {
  const at = HOT_NUMBERS.findIndex(([one]) => one === name);
  return HOT_NUMBERS.slice(0, at === -1 ? undefined : at).reduce((sum, [, bytes]) => sum + bytes, 0);
}

/**
 * Measures the time from the response of a reserve to its event at another instance, one at a time. Negative if the
 * event came first.
 */
export async function latency(
  { service, tenant }: Stage,
  other: RunningServer,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const arrived = new Map<string, (at: number) => void>();
  const opened = await openStreams(other.port, tenant.key, 1, (text) => {
    const at = performance.now();
    for (const [, resource] of text.matchAll(/"resource":"([^"]+)"/g)) arrived.get(resource ?? '')?.(at);
  });
  const connection = new Connection(service.port, headOf(tenant));
  const times: number[] = [];
  for (let i = 0; i < LATENCIES; i++) {
    const resource = freshName();
    const event = new Promise<number>((resolve) => arrived.set(resource, resolve));
    await connection.post('/api/v1/Reservation/reserve', JSON.stringify([{ resource, requester: 'r' }]));
    const answeredAt = performance.now();
    times.push((await event) - answeredAt);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  connection.close();
  for (const stream of opened) stream.destroy();
  return percentilesOf(times);
}

/**
 * Sends bursts of events for a round, each after the one before has arrived everywhere. Returns deliveries per second.
 */
async function deliveries(port: number, key: string, count: number, send: () => Promise<unknown>): Promise<number> {
  let received = 0;
  let expected = 0;
  let done = () => {};
  const opened = await openStreams(port, key, count, (text) => {
    // Counts one brace for each event: a single byte cannot be split between packets.
    received += text.split('{').length - 1;
    if (received >= expected) done();
  });
  const start = performance.now();
  while (performance.now() - start < ROUND_MS) {
    expected += burstTo(count) * count;
    const arrived = new Promise<void>((resolve) => {
      done = resolve;
    });
    await send();
    if (received < expected) await arrived;
  }
  const seconds = (performance.now() - start) / 1000;
  for (const stream of opened) stream.destroy();
  await new Promise((resolve) => setTimeout(resolve, 300)); // until the server has seen them go
  return expected / seconds;
}
