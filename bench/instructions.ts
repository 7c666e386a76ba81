/**
 * `npm run bench:instructions`: counts the instructions that Redis executes for a call of reserve and unreserve, with
 * valgrind's callgrind: other load on the machine does not change the count. Lua's garbage collector rests meanwhile,
 * as its work comes in lumps that hide one percent. The memory that calls leave to it is counted beside. With
 * `-- --against <folder>` it counts those of another checkout too. Takes one to three minutes a checkout, by the load
 * of the machine.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from '../scripts/freePort.ts';
import { startRedisNode } from '../scripts/redisServer.ts';
import { newReleaseToken } from '../src/engine/reservations/releaseToken.ts';
import { keysOf, keysOfRequest } from '../src/redis/keys.ts';
import { itemArgs } from '../src/redis/layouts.ts';
import { parseItem, parseReply } from '../src/redis/reply.ts';
import { type Checkout, freshName, type Kind, openCheckout } from './checkout.ts';
import { until } from './until.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url));
/** The number of reservations that the tenant has besides: Redis then keeps its slots as a hash table. */
const HELD = 700;
const HELD_NAME = 'held-by-another';
/** The next slot that its pool would give. */
const WORN_SLOT = 'worn_0';

/**
 * Redis's own work between calls comes every second and costs as much as several calls: the least count has none. Each
 * round begins later by this than the one before, so they do not all coincide with that work.
 */
const ROUNDS = 7;
const LATER_MS = 150;

/**
 * The instance of the long polls in a line, and the number of calls that join it in a round: few, since its beat is
 * current for half a second only.
 */
const [INSTANCE, LINE_CALLS] = ['bench', 5];

/** A kind of request, and whether an event stream of the tenant is open, or its outbox wants all types of events. */
interface Case extends Kind {
  readonly calls: number;
  readonly isHeard?: boolean;
  readonly hasOutbox?: boolean;
}

const CASES: readonly Case[] = [
  { what: 'plain name', size: 1, calls: 20, name: () => freshName('plain') },
  { what: 'plain name, with a lease', size: 1, calls: 20, name: () => freshName('leased'), ttlSeconds: 600 },
  { what: 'plain name that is held', size: 1, calls: 20, name: () => HELD_NAME, status: 'ALREADY_HELD' },
  { what: 'plain name, with an open stream', size: 1, calls: 20, name: () => freshName('heard'), isHeard: true },
  { what: 'plain name, with an outbox', size: 1, calls: 20, name: () => freshName('noticed'), hasOutbox: true },
  { what: 'pool of 100,000', size: 1, calls: 10, name: () => 'pool' },
  { what: 'pool of 100,000, a slot out of service', size: 1, calls: 10, name: () => 'worn' },
  { what: 'leaf below two pools', size: 1, calls: 10, name: () => 'leaf' },
  { what: 'plain names, 10 items, each', size: 10, calls: 5, name: () => freshName('ten') },
  { what: 'plain names, 100 items, each', size: 100, calls: 2, name: () => freshName('hundred') },
];

/** What a call costs. */
interface Cost {
  /** Thousands of instructions. */
  readonly thousands: number;
  /** Memory that is left to the collector, in KiB. */
  readonly garbage: number;
}

/** A function of Redis that steers the collector of all libraries: they share one state of Lua. */
const COLLECTOR = `#!lua name=collector
redis.register_function('collector', function(_, args)
  return tostring(collectgarbage(args[1]))
end)`;

const { against } = parseArgs({ options: { against: { type: 'string' } } }).values;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-instructions-'));
try {
  const here = await count(HERE, 'here');
  const there = against === undefined ? undefined : await count(resolve(against), 'there');
  console.log('Instructions of Redis for a call, in thousands, and memory that it leaves to the collector, in KiB');
  for (const [name, cost] of here) {
    const other = there?.get(name);
    const beside = other === undefined ? '' : `   there ${shown(other)}   ratio ${ratios(cost, other)}`;
    console.log(`${name.padEnd(56)} ${shown(cost)}${beside}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function shown({ thousands, garbage }: Cost): string {
  return `${thousands.toFixed(1).padStart(6)} ${garbage.toFixed(2).padStart(6)}`;
}

function ratios(here: Cost, there: Cost): string {
  return `${(here.thousands / there.thousands).toFixed(3)} ${(here.garbage / there.garbage).toFixed(3)}`;
}

/** Counts the costs of each case, with a Redis of its own. */
async function count(checkout: string, name: string): Promise<Map<string, Cost>> {
  const out = join(folder, name);
  const runner = ['valgrind', '--tool=callgrind', `--callgrind-out-file=${out}.%p`];
  const server = await startRedisNode(console.error, await freePort(), ['--hz', '1', '--dynamic-hz', 'no'], { runner });
  const opened = await openCheckout(checkout, name, `redis://127.0.0.1:${server.port}`);
  const steering = new Redis(server.port);
  try {
    await prepare(opened);
    await steering.function('LOAD', COLLECTOR);
    const counts = new Map<string, Cost>();
    const isOld = !existsSync(join(checkout, 'lua/events/outbox.lua'));
    for (const one of CASES)
      if (!(isOld && one.hasOutbox)) await countCase(opened, steering, one, { pid: server.pid, out }, counts);
    await countLine(opened, steering, { pid: server.pid, out }, counts);
    return counts;
  } finally {
    opened.redis.disconnect();
    steering.disconnect();
    await server.stop();
  }
}

async function prepare({ credential, run, runScript }: Checkout): Promise<void> {
  // Redis needs longer to compile the scripts here than a call waits.
  const first = { what: 'first', size: 1, name: () => freshName('first') };
  const isServed = () =>
    run('reserve', first, 1).then(
      () => true,
      () => false,
    );
  await until('Redis has the scripts', isServed, 60_000);
  const kind = { what: 'held', size: 100, name: () => freshName('held') };
  await run('reserve', kind, HELD / kind.size);
  await run('reserve', { ...kind, size: 1, name: () => HELD_NAME }, 1);
  const keys = keysOfRequest('setCondition', credential, credential.credentialKey);
  await runScript('setCondition', ...keys, credential.credentialKey, '', WORN_SLOT, 'out', 'broken');
}

async function countCase(
  { credential, runScript, run }: Checkout,
  steering: Redis,
  one: Case,
  { pid, out }: { pid: number; out: string },
  counts: Map<string, Cost>,
): Promise<void> {
  const { what, size, calls, isHeard = false, hasOutbox = false, status } = one;
  const hourMs = 3_600_000;
  const { tenant, credentialKey } = credential;
  if (isHeard)
    await runScript('openStream', ...keysOfRequest('openStream', credential), credentialKey, 'stream', hourMs);
  else await runScript('closeStreams', ...keysOf('closeStreams', tenant), 'stream');
  if (hasOutbox) await wantEvents(runScript, credential, `${2 ** 32 - 1} 0`);
  const counted = async (verb: 'reserve' | 'unreserve') => {
    const cost = await costOf(steering, { pid, out }, calls * size, () => run(verb, one, calls));
    noteLeast(counts, `${verb}, ${what}`, cost);
  };
  // The first round warms up: it loads the scripts and makes the keys.
  await run('reserve', one, 1);
  if (status === undefined) await run('unreserve', one, 1);
  for (let i = 0; i < ROUNDS; i++) {
    await setTimeout(i * LATER_MS);
    await counted('reserve');
    if (status === undefined) await counted('unreserve');
  }
  if (hasOutbox) await wantEvents(runScript, credential, '');
}

/** Counts requests that join the line of a plain name, and releases that hand it over to the first one there. */
async function countLine(
  { credential, runScript, run }: Checkout,
  steering: Redis,
  callgrind: { pid: number; out: string },
  counts: Map<string, Cost>,
): Promise<void> {
  const resource = freshName('line');
  const callers: { requester: string; token: string; ticket: string }[] = [];
  const call = async (verb: 'reserve' | 'unreserve', flags: string, ...args: (string | number)[]) => {
    const keys = keysOfRequest(verb, credential, `answer:${newReleaseToken()}`);
    const reply = await runScript(verb, ...keys, credential.credentialKey, flags, ...args);
    return parseItem(parseReply(reply)[2]);
  };
  const ask = async () => {
    const [requester, token] = [freshName('r'), newReleaseToken()];
    const item = { resource, requester, token, lease: 60_000, type: '', wait: '60000 0 5000', count: '', options: '' };
    const [, , ticket = ''] = await call('reserve', 'w', ...itemArgs('reserve', item), `${INSTANCE} 30000`);
    callers.push({ requester, token, ticket });
  };
  const handOver = async () => {
    const [holder, ...waiting] = callers.splice(0, 1).concat(callers);
    const lines = waiting.map(({ ticket, token }) => `\n${ticket} ${token}`).join('');
    if (holder) await call('unreserve', 'h', resource, holder.requester, holder.token, INSTANCE + lines);
  };
  const times = async (one: () => Promise<void>) => {
    for (let i = 0; i < LINE_CALLS; i++) await one();
  };
  // A ticket is due soon. For the short way, the tenant has to be in the due index already, as by a short lease.
  await run('reserve', { what: 'short', size: 1, name: () => freshName('short'), ttlSeconds: 1 }, 1);
  await ask();
  for (let i = 0; i < ROUNDS; i++) {
    await ask();
    await runScript('beat', ...keysOf('beat', credential.tenant), '', INSTANCE);
    noteLeast(counts, 'reserve, joins a line', await costOf(steering, callgrind, LINE_CALLS, () => times(ask)));
    noteLeast(counts, 'unreserve, hands over', await costOf(steering, callgrind, LINE_CALLS, () => times(handOver)));
    await handOver();
  }
}

/** Returns what a request costs. @param calls the number of requests that `run` sends */
async function costOf(
  steering: Redis,
  { pid, out }: { pid: number; out: string },
  calls: number,
  run: () => Promise<void>,
): Promise<Cost> {
  const collector = (action: 'collect' | 'stop' | 'count') => steering.fcall('collector', 0, action);
  await collector('collect');
  await collector('stop');
  const before = Number(await collector('count'));
  steerCallgrind('--zero', pid);
  await run();
  steerCallgrind('--dump', pid);
  const garbage = Number(await collector('count')) - before;
  return { thousands: newestCount(out) / calls / 1000, garbage: garbage / calls };
}

function noteLeast(counts: Map<string, Cost>, name: string, cost: Cost): void {
  if (cost.thousands < (counts.get(name)?.thousands ?? Number.POSITIVE_INFINITY)) counts.set(name, cost);
}

/** Sets the types of events that the tenant's outbox wants (lua/verbs/tenant.lua). */
async function wantEvents(
  runScript: Checkout['runScript'],
  { tenant, credentialKey }: Checkout['credential'],
  notices: string,
): Promise<void> {
  const record = ['', '', '', 'Enterprise', 0, 0, 0, '', notices, 0, credentialKey, '', ''];
  await runScript('loadTenant', ...keysOf('loadTenant', tenant), ...record);
}

function steerCallgrind(command: string, pid: number): void {
  execFileSync('callgrind_control', [command, String(pid)], { stdio: 'ignore' });
}

/** Returns the instructions of the dump that was written last. */
function newestCount(out: string): number {
  const dumps = readdirSync(folder)
    .filter((file) => join(folder, file).startsWith(`${out}.`))
    .map((file) => ({ file, nth: Number(/\.(\d+)$/.exec(file)?.[1]) }))
    .filter(({ file }) => /\.\d+\.\d+$/.test(file))
    .sort((a, b) => a.nth - b.nth);
  const text = readFileSync(join(folder, dumps.at(-1)?.file ?? ''), 'utf8');
  return Number(/^(?:totals|summary): (\d+)/m.exec(text)?.[1]);
}
