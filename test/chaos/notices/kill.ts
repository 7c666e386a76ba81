/**
 * Kills what delivers notices: `npm run build:service &&
 * node --import tsx test/chaos/notices/kill.ts [minutes]`. For so long, workers,
 * receivers, an instance and a Redis with `appendfsync always` are killed at random moments and started again, while
 * callers make 200 changes a second. Then it checks, for each subscription: every confirmed change has arrived, first
 * arrivals are in order, a webhook-id has always the same body, every signature is right, and there is no GAP. One more
 * receiver is away for so long that events are dropped: it is told by GAP how many it has missed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../../../scripts/freePort.ts';
import { type GuardedProcess, startGuarded } from '../../../scripts/guardedProcess.ts';
import { startPostgres } from '../../../scripts/postgresServer.ts';
import { startRedisNode } from '../../../scripts/redisServer.ts';
import { digestOf, makeKey, Sealer } from '../../../src/identity/credentials.ts';
import { createRedis } from '../../../src/redis/client.ts';
import { Database } from '../../../src/store/database.ts';
import { insertTenant } from '../../../src/store/tenants.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { signIn } from '../../support/tenancy.ts';
import { until } from '../../support/until.ts';
import { builtProgram, ROOT } from '../setups/service.ts';
import { readArrived } from './arrived.ts';

const MINUTES = Number(process.argv[2] ?? 1);
const CALLERS = 100;
/** Time of a caller for a change, in ms. */
const PACE_MS = 500;
const KEY_SECRET = 'the secret of the campaign, of 32 characters or more';
const TENANT = 'campaign';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-kill-'));
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** A process that is killed and started again. */
interface Victim {
  readonly name: string;
  /** Shortest time between two kills, in ms: receivers must not fail for so long that events are dropped. */
  readonly everyMs: number;
  start(): Promise<GuardedProcess>;
  running: GuardedProcess;
  kills: number;
  killedAt: number;
}

async function victim(name: string, everyMs: number, start: () => Promise<GuardedProcess>): Promise<Victim> {
  return { name, everyMs, start, running: await start(), kills: 0, killedAt: 0 };
}

const { PATH = '', HOME = '' } = process.env;
const run = (name: string, command: readonly string[], port: number, env: Record<string, string> = {}) =>
  startGuarded(
    { path: process.execPath, env: { PATH, HOME, ...env } },
    ROOT,
    command,
    { port },
    {
      log: join(folder, `${name}.log`),
      keepsFolder: true,
    },
  );

const postgres = await startPostgres(() => {});
const redisPort = await freePort();
const redisFolder = mkdtempSync(join(tmpdir(), 'holdfast-aof-'));
const stored = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', redisFolder];
const redis = await victim('Redis', 0, () => startRedisNode(() => {}, redisPort, stored));
const key = makeKey(TENANT);
await storeTenant();
const env = {
  REDIS_URL: `redis://127.0.0.1:${redisPort}`,
  DATABASE_URL: postgres.url,
  KEY_SECRET,
  LOG_LEVEL: 'info',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_ALLOW_HTTP: 'true',
  // An outbox of 4 MiB, three quarters of which are full within some two minutes.
  TIERS: JSON.stringify({ Enterprise: { bytes: 16 * 2 ** 20, historyEntries: 1000 } }),
};
const instancePorts = [await freePort(), await freePort()];
const startInstance = async (name: string, port: number, ROLE: string) =>
  victim(name, 0, () =>
    run(name, builtProgram().command, port, { ...env, HOST: '127.0.0.1', PORT: String(port), ROLE }),
  );
const instances = [];
for (const [i, port] of instancePorts.entries()) instances.push(await startInstance(`instance${i}`, port, 'api'));
const workers = [];
for (const i of [0, 1]) workers.push(await startInstance(`worker${i}`, await freePort(), 'worker'));
const hosts = instancePorts.map((port) => `http://127.0.0.1:${port}`);
const receiverProgram = fileURLToPath(new URL('receiver.mjs', import.meta.url));
const isReady = (port: number) =>
  until(
    'the instance is ready',
    () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  );
for (const port of instancePorts) await isReady(port);
const client = createRedis(env.REDIS_URL, () => {});
await until('Redis', () => client.ping().catch(() => null));
const owner = await signIn(client, TENANT);
client.disconnect();

async function storeTenant(): Promise<void> {
  const database = await Database.open(postgres.url, 2, createLogger('silent'));
  const sealed = await new Sealer(KEY_SECRET).seal(key);
  const row = {
    id: TENANT,
    name: TENANT,
    tier: 'Enterprise' as const,
    key: { digest: digestOf(key), sealed, label: null },
  };
  await database.transaction((tx) => insertTenant(tx, row, { actor: 'person:campaign', address: null }));
  await database.close();
}

const call = async (url: string, path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
};

/** Subscribes a new receiver. */
async function subscribe(prefix: string, name = `receiver of ${prefix || 'all'}`) {
  const port = await freePort();
  const file = join(folder, `${port}.jsonl`);
  const receiver = await victim(name, 45_000, () => run(name, [receiverProgram, String(port), file], port));
  const asked = { kind: 'webhook', label: name, url: `http://127.0.0.1:${port}/`, types: ['*'], prefix };
  const { body } = await owner.request(hosts[0] ?? '', 'POST', '/api/v1/Tenant/notices', asked);
  const made = z.object({ secret: z.string() }).parse(body);
  return { ...receiver, prefix, file, secret: made.secret };
}
const receivers = [await subscribe(''), await subscribe('even')];
const away = await subscribe('', 'the receiver that is away');

/** Confirmed changes, by resource. Each resource is reserved once, and released once. */
const confirmed: { readonly resource: string; readonly type: 'RESERVED' | 'UNRESERVED' }[] = [];
let unknown = 0;
let isOver = false;
const Results = z.array(z.looseObject({ status: z.string(), releaseToken: z.string().nullable().optional() }));

async function callAll(caller: number): Promise<void> {
  for (let i = 0; !isOver; i++) {
    const nextAt = performance.now() + 2 * PACE_MS;
    const url = `${hosts[(caller + i) % hosts.length]}/api/v1`;
    const item = { resource: `${i % 2 === 0 ? 'even' : 'odd'}-${caller}-${i}`, requester: 'caller' };
    try {
      const [reserved] = Results.parse(await call(url, '/Reservation/reserve', [item]));
      if (reserved?.status === 'ACQUIRED') confirmed.push({ resource: item.resource, type: 'RESERVED' });
      const back = [{ ...item, releaseToken: reserved?.releaseToken }];
      const [released] = Results.parse(await call(url, '/Reservation/unreserve', back));
      if (released?.status === 'RELINQUISHED') confirmed.push({ resource: item.resource, type: 'UNRESERVED' });
    } catch {
      unknown++;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - performance.now())));
  }
}

/** @param restMs how long it stays away */
async function kill(one: Victim, restMs = 1000 * Math.random()): Promise<void> {
  one.kills++;
  one.killedAt = Date.now();
  process.kill(one.running.pid, 'SIGKILL');
  await one.running.ended;
  await new Promise((resolve) => setTimeout(resolve, restMs));
  one.running = await one.start().catch((error: unknown) => {
    // An instance ends if it does not find Redis in time.
    say(`${one.name}: ${String(error)}`);
    return one.start();
  });
  say(`killed ${one.name}: runs again after ${Date.now() - one.killedAt} ms`);
}

const callers = Promise.all(Array.from({ length: CALLERS }, (_, i) => callAll(i)));
const startedAt = Date.now();
const victims = [redis, ...workers, ...instances.slice(0, 1), ...receivers];
const endAt = startedAt + MINUTES * 60_000;
// The attempt after two minutes is the first that succeeds.
const killedAway = new Promise((resolve) => setTimeout(resolve, 20_000)).then(() => kill(away, 60_000));
while (Date.now() < endAt) {
  await new Promise((resolve) => setTimeout(resolve, 500 + 4000 * Math.random()));
  const possible = victims.filter(({ everyMs, killedAt }) => killedAt + everyMs < Date.now());
  const one = possible[Math.floor(Math.random() * possible.length)];
  if (one !== undefined) await kill(one);
}
isOver = true;
await callers;
const perSecond = Math.round((1000 * confirmed.length) / (Date.now() - startedAt));
say(`${confirmed.length} changes are confirmed, ${perSecond} a second; ${unknown} calls failed`);
await killedAway;

/** Returns what is wrong at a receiver that was never away for long. */
function check(receiver: typeof away): { faults: string[]; text: string } {
  const { faults, seen, missed, requests, repeated } = readArrived(receiver.file, receiver.secret);
  if (missed !== 0) faults.push(`GAPs of ${missed} events`);
  const arrived = new Map<string, number>();
  for (const what of seen.values()) arrived.set(what, (arrived.get(what) ?? 0) + 1);
  const wanted = confirmed.filter(({ resource }) => resource.startsWith(receiver.prefix));
  for (const { type, resource } of wanted) {
    const times = arrived.get(`${type} ${resource}`) ?? 0;
    if (times !== 1) faults.push(`${type} ${resource} is ${times} events`);
  }
  const text = `${wanted.length} confirmed, ${seen.size} events in ${requests} requests, ${repeated} of them repeated`;
  return { faults, text };
}

/** Returns what is wrong at the receiver that was away: what did not arrive there has to be in the GAPs. */
function checkAway(): { faults: string[]; text: string } {
  const { faults, seen, missed } = readArrived(away.file, away.secret);
  const events = [...seen.values()].filter((what) => !what.startsWith('GAP ')).length;
  const { file, secret } = receivers[0] ?? away;
  const all = readArrived(file, secret).seen.size;
  if (events + missed !== all) faults.push(`${events} events and ${missed} missed ones are not ${all}`);
  if (missed === 0 && MINUTES >= 5) faults.push('no GAP');
  return { faults, text: `${events} events, ${seen.size - events} GAPs of ${missed} events` };
}

const checkAll = () => [...receivers.map(check), checkAway()];
let results = checkAll();
await until(
  'everything has arrived',
  async () => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    results = checkAll();
    return results.every(({ faults }) => faults.length === 0);
  },
  240_000,
).catch((error: unknown) => say(String(error)));
for (const [i, { name }] of [...receivers, away].entries()) {
  const { faults = [], text = '' } = results[i] ?? {};
  say(`${name}: ${text}, ${faults.length} faults`);
  for (const fault of faults.slice(0, 10)) say(`  ${fault}`);
}
say(`kills: ${victims.map(({ name, kills }) => `${name} ${kills}`).join(', ')}`);
for (const { running } of [...receivers, away, ...workers, ...instances, redis]) await running.stop();
await postgres.stop();
const failed = results.some(({ faults }) => faults.length > 0);
if (failed) say(`logs: ${folder}`);
else for (const path of [folder, redisFolder]) rmSync(path, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
