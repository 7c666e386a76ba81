/**
 * Receivers that attack: `node --import tsx test/chaos/notices/receivers.ts [seconds of each]`. Some tenants have four
 * subscriptions each that attack, all in the same way, while other tenants get their events at receivers that behave.
 * Prints a line for each attack: what became of it, the p99 of the others, and the memory of the worker. Some lines are
 * without an attack, for comparison: with the others alone, and with as many receivers that behave.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startRedis } from '../../../scripts/redisServer.ts';
import { maskOf } from '../../../src/domain/eventTypes.ts';
import { DEFAULT_TIERS, UNLIMITED } from '../../../src/domain/tiers.ts';
import { attemptsOf } from '../../../src/engine/notices/attempts.ts';
import { startCursor } from '../../../src/engine/notices/cursors.ts';
import { configuredLoader, loadTenant } from '../../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../../src/identity/configured.ts';
import { digestOf } from '../../../src/identity/credentials.ts';
import { Deliveries } from '../../../src/notices/deliveries.ts';
import type { Reader } from '../../../src/notices/sending.ts';
import { webhookOutlet } from '../../../src/notices/webhook.ts';
import { createRedis } from '../../../src/redis/client.ts';
import { defineScripts, loadScripts } from '../../../src/redis/scripts.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { startReceiver } from '../../support/receiver.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { reserve } from '../../support/verbs.ts';

const SECONDS = Number(process.argv[2] ?? 12);
const BAD_TENANTS = 40;
const GOOD_TENANTS = 10;
const SUBSCRIPTIONS = 4;
const EVERY_MS = 100;

// Elsewhere they have machines of their own: what they write takes no time from the worker.
const program = fileURLToPath(new URL('badReceivers.mjs', import.meta.url));
const bad = spawn('nice', ['-n', '19', process.execPath, program], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const line = await new Promise<string>((resolve) => bad.stdout.once('data', (text) => resolve(String(text))));
const ports = z.record(z.string(), z.number()).parse(JSON.parse(line));
const server = await startRedis(() => {});
const redis = createRedis(server.url, () => {});
defineScripts(redis, loadScripts({ ...DEFAULT_TIERS, Enterprise: UNLIMITED }, {}));
await until('Redis', () => redis.ping().catch(() => null));

const { send, ...outlet } = webhookOutlet({ allowPrivate: true, allowHttp: true });
const readers = new Map<string, Reader[]>();
const results = new Map<string, number>();
const worker = new Deliveries({
  redis,
  readersOf: async (tenant) => readers.get(tenant) ?? [],
  disable: async () => {},
  onAttempt: (_, result) => results.set(result, (results.get(result) ?? 0) + 1),
  log: createLogger('warn'),
});

/** Makes a tenant that has subscriptions at some addresses. */
async function makeOne(urls: readonly string[]) {
  const key = makeConfiguredKey(makeTenant());
  const { tenant } = key;
  const tenants = configuredTenants([key]);
  const record = tenants.get(tenant);
  if (record === undefined) throw new Error('no record');
  const wanted = { ...record, notices: { types: maskOf(['*']), personTypes: 0 } };
  await loadTenant(redis, wanted, { definitionsVersion: 0, lease: null });
  const made = urls.map((url): Reader => {
    const id = randomUUID();
    const secrets = [`whsec_${randomBytes(24).toString('base64')}`];
    const opened = {
      id,
      tenant,
      kind: 'webhook',
      label: '',
      types: ['*'],
      prefix: '',
      target: { url },
      secrets,
    } as const;
    return { ...opened, ...outlet, send: (batch, signal) => send(opened, batch, signal) };
  });
  for (const { id } of made) await startCursor(redis, tenant, id, 'end', false);
  readers.set(tenant, made);
  const engine = { redis, tiers: DEFAULT_TIERS, loadTenant: configuredLoader(redis, tenants) };
  const credential = { tenant, credentialKey: digestOf(key.key), kind: 'key' } as const;
  let number = 0;
  const happen = async () => {
    // Redis may be slow if the machine is.
    await reserve(engine, credential, [{ resource: `r${number++}`, requester: 'x' }]).catch(() => {});
    worker.wake(tenant);
  };
  return { tenant, happen, ids: made.map(({ id }) => id) };
}

const Body = z.object({ data: z.object({ events: z.array(z.looseObject({ timestamp: z.string() })) }) });
const good = await startReceiver();
const others: Awaited<ReturnType<typeof makeOne>>[] = [];
for (let i = 0; i < GOOD_TENANTS; i++) others.push(await makeOne([good.url]));

/** Runs one attack; '': none. Returns its line. */
async function run(name: string): Promise<string> {
  const port = ports[name];
  const urls = port === undefined ? [] : Array.from({ length: SUBSCRIPTIONS }, () => `http://127.0.0.1:${port}/`);
  const attackers: typeof others = [];
  for (let i = 0; i < (name === '' ? 0 : BAD_TENANTS); i++) attackers.push(await makeOne(urls));
  results.clear();
  good.got.length = 0;
  await fetch(`http://127.0.0.1:${ports.counts}/`);
  const delays: number[] = [];
  good.answer((response, { body }) => {
    const { events } = Body.parse(JSON.parse(body)).data;
    for (const { timestamp } of events) delays.push(Date.now() - Date.parse(timestamp));
    response.writeHead(204).end();
  });
  let memory = 0;
  const cpu = process.cpuUsage();
  const endAt = performance.now() + 1000 * SECONDS;
  while (performance.now() < endAt) {
    const nextAt = performance.now() + EVERY_MS;
    await Promise.all([...others, ...attackers].map(({ happen }) => happen()));
    memory = Math.max(memory, process.memoryUsage().rss);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - performance.now())));
  }
  const counted: unknown = await (await fetch(`http://127.0.0.1:${ports.counts}/`)).json();
  const requests = z.record(z.string(), z.number()).parse(counted)[name] ?? 0;
  const [one] = attackers;
  const [attempt] = one === undefined ? [] : await attemptsOf(redis, one.tenant, one.ids[0] ?? '');
  for (const { tenant } of attackers) readers.set(tenant, []);
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor(share * (delays.length - 1))] ?? Number.NaN;
  const { user, system } = process.cpuUsage(cpu);
  const cells = [
    name === '' ? 'none' : name,
    String(requests),
    [...results].map(([result, count]) => `${result} ${count}`).join(', '),
    attempt === undefined
      ? ''
      : `${attempt.status ?? 'no status'}: ${attempt.fault ?? 'no fault'} (${attempt.durationMs} ms)`,
    `${at(0.5)} / ${at(0.99)} / ${at(1)}`,
    `${delays.length}`,
    `${Math.round(memory / 2 ** 20)}`,
    `${Math.round((user + system) / 10_000 / SECONDS)} %`,
  ];
  return `| ${cells.join(' | ')} |`;
}

console.log(
  '| attack | its requests | attempts of all | one attempt | others: ms p50 / p99 / max | events | MiB | CPU |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
const names = Object.keys(ports).filter((name) => name !== 'counts');
for (const name of ['', '', ...names, '']) {
  console.log(await run(name));
  // Requests in flight end.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
}
await worker.close();
await good.stop();
redis.disconnect();
await server.stop();
bad.stdin.end();
process.exit(0);
