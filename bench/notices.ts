/**
 * Measures deliveries of one worker to a receiver on this machine: `node --import tsx bench/notices.ts [seconds]`. The
 * delay of an event is the time from its change to its arrival: with a hint, without one (as if the instance died), and
 * at 1,000 events a second. Then what a subscription of all types costs Redis in a reserve and its release, beside a
 * tenant without one: the time of scripts, and the CPU time of the process.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { startRedis } from '../scripts/redisServer.ts';
import { maskOf } from '../src/domain/eventTypes.ts';
import { DEFAULT_TIERS, UNLIMITED } from '../src/domain/tiers.ts';
import { startCursor } from '../src/engine/notices/cursors.ts';
import { outboxState } from '../src/engine/notices/outboxState.ts';
import { loadTenant } from '../src/engine/tenant/record.ts';
import { configuredTenants } from '../src/identity/configured.ts';
import { digestOf, makeKey } from '../src/identity/credentials.ts';
import { Deliveries } from '../src/notices/deliveries.ts';
import { Hints } from '../src/notices/hints.ts';
import type { Reader } from '../src/notices/sending.ts';
import { webhookOutlet } from '../src/notices/webhook.ts';
import { lookAtAll, takeHints } from '../src/notices/worker.ts';
import { createPatientRedis, createRedis } from '../src/redis/client.ts';
import { defineScripts, loadScripts } from '../src/redis/scripts.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { until } from '../test/support/until.ts';
import { reserve, unreserve } from '../test/support/verbs.ts';
import { inTurn, ratioOf, Series } from './rounds.ts';
import { scriptTime } from './scriptTime.ts';

const SECONDS = Number(process.argv[2] ?? 15);
const LOOK_EVERY_MS = 5000;
/** Items of a call. */
const ITEMS = 10;

const server = await startRedis(() => {});
const redis = createRedis(server.url, () => {});
defineScripts(redis, loadScripts({ ...DEFAULT_TIERS, Enterprise: UNLIMITED }, {}));
await until('Redis', () => redis.ping().catch(() => null));
const key = { key: makeKey('bench'), tenant: 'bench', tier: 'Enterprise' } as const;
const { tenant } = key;
const tenants = configuredTenants([key]);
const record = tenants.get(tenant);
if (record === undefined) throw new Error('no record');
const notices = { types: maskOf(['*']), personTypes: 0 };
await loadTenant(redis, { ...record, notices }, { definitionsVersion: 0, lease: null });
const receiver = await startReceiver();
const { send, ...outlet } = webhookOutlet({ allowPrivate: true, allowHttp: true });
const opened = {
  id: randomUUID(),
  tenant,
  kind: 'webhook',
  label: '',
  types: ['*'],
  prefix: '',
  target: { url: receiver.url },
  secrets: [`whsec_${randomBytes(24).toString('base64')}`],
} as const;
const reader: Reader = { ...opened, ...outlet, send: (batch, signal) => send(opened, batch, signal) };
await startCursor(redis, tenant, reader.id, 'end', false);
const log = createLogger('warn');
const worker = new Deliveries({
  redis,
  readersOf: async () => [reader],
  disable: async () => {},
  onAttempt: () => {},
  log,
});
const connect = () => createPatientRedis(server.url);
const [hints, connection] = [new Hints(connect), connect()];
const stopHints = takeHints(connection, worker, log);
const engine = { redis, tiers: DEFAULT_TIERS, loadTenant: async () => true };
const credential = { tenant, credentialKey: digestOf(key.key), kind: 'key' } as const;

const Body = z.object({ data: z.object({ events: z.array(z.object({ timestamp: z.string() })) }) });
let number = 0;

/** Makes events at a rate, and returns what came of them. */
async function measure(title: string, callsASecond: number, items: number, onChange: () => void): Promise<string> {
  const delays: number[] = [];
  receiver.got.length = 0;
  receiver.answer((response, { body }) => {
    response.writeHead(204).end();
    for (const { timestamp } of Body.parse(JSON.parse(body)).data.events)
      delays.push(Date.now() - Date.parse(timestamp));
  });
  const beganAt = performance.now();
  const made: Promise<unknown>[] = [];
  for (let i = 0; i < SECONDS * callsASecond; i++) {
    const asked = Array.from({ length: items }, () => ({ resource: `r${number++}`, requester: 'bench' }));
    made.push(reserve(engine, credential, asked).then(onChange));
    const waitMs = beganAt + ((i + 1) * 1000) / callsASecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  await Promise.all(made);
  const took = (performance.now() - beganAt) / 1000;
  const left = made.length * items - delays.length;
  await until('all has arrived', async () => (await outboxState(redis, tenant)).entries === 0);
  delays.sort((a, b) => a - b);
  const at = (share: number) => `${delays[Math.floor(share * (delays.length - 1))]} ms`;
  const rate = Math.round(delays.length / took);
  return `${title}: ${rate} events/s, delay p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}; ${left} of ${delays.length} were left at the end, in ${receiver.got.length} requests`;
}

console.log(await measure('with hints', 10, 1, () => hints.wake(tenant)));
const tenantsOf = async (after: string) => (after === '' ? [tenant] : []);
const timer = setInterval(() => void lookAtAll(redis, tenantsOf, worker), LOOK_EVERY_MS);
console.log(await measure('without hints', 10, 1, () => {}));
clearInterval(timer);
console.log(await measure('at the full rate', 1000 / ITEMS, ITEMS, () => hints.wake(tenant)));
await Promise.all([stopHints(), worker.close(), hints.close()]);
connection.disconnect();

/** Fewer events in all rounds than an outbox keeps. */
const [ROUNDS, CYCLES] = [9, 500];
const without = { key: makeKey('bench'), tenant: 'without', tier: 'Enterprise' } as const;
const other = configuredTenants([without]).get(without.tenant);
if (other === undefined) throw new Error('no record');
await loadTenant(redis, other, { definitionsVersion: 0, lease: null });

/** Returns the time of scripts of a reserve and its release, and the CPU time of Redis, in µs. */
async function cycles(of: { readonly tenant: string; readonly key: string }) {
  const by = { tenant: of.tenant, credentialKey: digestOf(of.key), kind: 'key' } as const;
  const cpu = async () => {
    const used = await redis.info('cpu');
    return [...used.matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
  };
  const before = await cpu();
  const scripts = await scriptTime(redis, async () => {
    for (let i = 0; i < CYCLES; i++) {
      const item = { resource: `c${i}`, requester: 'bench' };
      const [held] = await reserve(engine, by, [item]);
      await unreserve(engine, by, [{ ...item, releaseToken: held?.releaseToken ?? '' }]);
    }
  });
  return { scripts: scripts / CYCLES, cpu: ((await cpu()) - before) * (1_000_000 / CYCLES) };
}
const series = [new Series(() => cycles(key)), new Series(() => cycles(without))] as const;
await inTurn(series, ROUNDS);
for (const what of ['scripts', 'cpu'] as const) {
  const [figure, beside] = [series[0].figure((of) => of[what]), series[1].figure((of) => of[what])];
  const { median, q1, q3 } = ratioOf(figure, beside);
  console.log(
    `${what} of a cycle: ${figure.median.toFixed(1)} µs, without ${beside.median.toFixed(1)} µs, ratio ${median.toFixed(3)} (${q1.toFixed(3)} to ${q3.toFixed(3)})`,
  );
}
redis.disconnect();
await receiver.stop();
await server.stop();
