/**
 * Cleaners (`holdfast clean`) that are killed at every step of their loop, at two instances, and a failover of Redis:
 * no user gets a device that is not clean, and none stays dirty while a cleaner lives.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Holdfast } from '../../../packages/client/src/index.ts';
import { type Pair, startPair } from '../../support/clients.ts';
import { holdfast, type Running, startHoldfast } from '../../support/commandLine.ts';
import { type Point, startKillingProxy } from '../../support/killingProxy.ts';
import { startSentinels, type Topology } from '../../support/topologies.ts';
import { until } from '../../support/until.ts';

const DEVICES = ['phone-1', 'phone-2', 'phone-3', 'phone-4'];
const RESERVED = { path: '/Reservation/reserve', response: 'ACQUIRED' };

interface Step {
  readonly point?: Point;
  /** Where the command kills the cleaner. */
  readonly inCommand?: 'start' | 'middle' | 'end';
}

const STEPS: readonly Step[] = [
  { point: { ...RESERVED, when: 'before' } },
  { point: { ...RESERVED, when: 'after' } },
  { inCommand: 'start' },
  { inCommand: 'middle' },
  { point: { path: '/Reservation/renew', when: 'before' } },
  { point: { path: '/Reservation/renew', when: 'after' } },
  { inCommand: 'end' },
  { point: { path: '/Reservation/unreserve', when: 'before' } },
  { point: { path: '/Reservation/unreserve', when: 'after' } },
];

/** A device is a file with its state: what Holdfast says must never be better than that. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-devices-'));
const stateOf = (device: string) => readFileSync(join(folder, device), 'utf8').trim();
const setState = (device: string, state: string) => writeFileSync(join(folder, device), state);

/** It takes longer than a third of the lease, so that it is renewed once. */
const WIPE = `
die() { if [ "$KILL_AT" = "$1" ]; then kill -KILL $PPID; exec sleep 5; fi; }
die start
echo half > "$DEVICES/$HOLDFAST_SLOTS"
die middle
sleep 0.7
echo clean > "$DEVICES/$HOLDFAST_SLOTS"
die end
`;

let topology: Topology;
let pair: Pair;
const cleaners = new Set<Running>();
beforeAll(async () => {
  [topology] = await Promise.all([startSentinels(), holdfast(['--version'])]); // The second one builds it.
  pair = await startPair({ redisUrl: topology.url, env: { REDIS_WAIT_REPLICAS: '1', ROLE: 'all' } });
});
afterAll(async () => {
  for (const cleaner of cleaners) cleaner.kill('SIGKILL');
  await Promise.all([...cleaners].map(({ ended }) => ended));
  await pair?.stop();
  await topology?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startCleaner(url: string, labels: string, killAt = ''): Promise<Running> {
  const env = { HOLDFAST_URL: url, HOLDFAST_KEY: pair.one.key, DEVICES: folder, KILL_AT: killAt };
  const cleaner = await startHoldfast(['clean', '--ttl', '2s', labels, '--', 'sh', '-c', WIPE], { env });
  cleaners.add(cleaner);
  void cleaner.ended.then(() => cleaners.delete(cleaner));
  return cleaner;
}

/** Starts a cleaner, and waits until it is killed at this step. */
async function cleanAndDie(url: string, labels: string, { point, inCommand }: Step): Promise<void> {
  let cleaner: Running | undefined;
  const proxy = await startKillingProxy(url, point, () => cleaner?.kill('SIGKILL'));
  cleaner = await startCleaner(proxy.url, labels, inCommand);
  const { code } = await cleaner.ended;
  expect(code).toBe(null);
  await proxy.stop();
}

test('cleaners are killed at every step, and a primary dies', async () => {
  const faults: string[] = [];
  let uses = 0;
  let isOver = false;
  await pair.a.register([
    ...DEVICES.map((name) => ({ name, labels: { kind: 'phone' }, afterUse: 'dirty' as const })),
    { name: 'idle', labels: { kind: 'idle' } },
  ]);
  for (const device of [...DEVICES, 'idle']) setState(device, 'dirty');

  /** Uses devices, one after the other. Every fourth time it vanishes without a release. */
  async function user(client: Holdfast): Promise<void> {
    while (!isOver) {
      const hold = await client.reserve({ match: { kind: 'phone' }, wait: '2s', ttl: '4s' }).catch(() => undefined);
      if (hold === undefined) continue;
      const device = hold.resource;
      if (stateOf(device) !== 'clean') faults.push(`${device} was ${stateOf(device)}`);
      setState(device, 'dirty');
      uses++;
      if (uses % 4 !== 0) await hold.release().catch(() => {});
    }
  }
  const users = [user(pair.a), user(pair.b)];

  // One that dies while it waits does not keep the resource from the next one.
  const waiting = cleanAndDie(pair.one.url, 'kind=idle', {
    point: { path: '/Reservation/reserve', response: 'WAITING', when: 'after' },
  });
  const half = Math.ceil(STEPS.length / 2);
  const inTurn = async (url: string, steps: readonly Step[]) => {
    for (const step of steps) await cleanAndDie(url, 'kind=phone', step);
  };
  await Promise.all([waiting, inTurn(pair.one.url, STEPS.slice(0, half)), inTurn(pair.two.url, STEPS.slice(half))]);
  expect(faults).toEqual([]);

  await pair.b.setCondition('idle', 'dirty');
  const living = [
    await startCleaner(pair.one.url, 'kind=phone'),
    await startCleaner(pair.two.url, 'kind=phone'),
    await startCleaner(pair.two.url, 'kind=idle'),
  ];
  const before = uses;
  await until('devices are used again', () => uses > before + 2);
  const primary = await topology.primaryOf(0);
  process.kill(primary.pid, 'SIGKILL');
  await until('the sentinels know', async () => (await topology.primaryOf(0)).port !== primary.port);
  const after = uses;
  await until('devices are used at the new primary', () => uses > after + 4);

  isOver = true;
  await Promise.all(users);
  await until('all are clean', async () => {
    const checks = await pair.b.check([...DEVICES, 'idle']);
    return checks.every(({ condition, reservable }) => condition === undefined && reservable === true);
  });
  for (const device of [...DEVICES, 'idle']) expect(stateOf(device)).toBe('clean');
  expect(faults).toEqual([]);
  for (const cleaner of living) cleaner.kill('SIGTERM');
  for (const cleaner of living) expect((await cleaner.ended).code).toBe(143);
});
