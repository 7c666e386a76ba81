/**
 * `npm run bench:calls`: measures the Redis time of reserve, check and unreserve while nobody waits. With
 * `-- --against <folder>` it compares this checkout with another one: the scripts and the engine of both, in turn, on
 * one private Redis. Takes under a minute.
 */
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startRedis } from '../scripts/redisServer.ts';
import type { Credential } from '../src/domain/tenants.ts';
import { DEFAULT_TIERS, UNLIMITED } from '../src/domain/tiers.ts';
import type { Engine } from '../src/engine/call.ts';
import { digestOf, makeKey } from '../src/identity/credentials.ts';
import type { RedisClient } from '../src/redis/client.ts';
import { figureOf } from './rounds.ts';
import { machine } from './table.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url));
/** The number of calls of a verb before it is the other checkout's turn, by the number of items of a call. */
const CALLS: Readonly<Record<number, number>> = { 1: 200, 50: 20 };
const ROUNDS = 25;
const WARM_UP = 3;
const TIERS = { ...DEFAULT_TIERS, Enterprise: UNLIMITED };
const VERBS = ['reserve', 'check', 'unreserve'] as const;

/** Requests of a kind, all with the same number of items. */
interface Kind {
  readonly what: string;
  readonly size: number;
  readonly name: () => string;
  readonly ttlSeconds?: number;
}

/** The verbs of a checkout, for a tenant of its own, and the time of each verb's calls by kind, in µs. */
interface Checkout {
  readonly redis: RedisClient;
  run(verb: (typeof VERBS)[number], kind: Kind): Promise<void>;
  readonly times: Map<string, number[]>;
}

let fresh = 0;
const KINDS: readonly Kind[] = Object.keys(CALLS)
  .map(Number)
  .flatMap((size) => [
    { what: 'plain name', size, name: () => `plain-${fresh++}` },
    { what: 'plain name, with a lease', size, name: () => `leased-${fresh++}`, ttlSeconds: 600 },
    { what: 'pool of 100,000', size, name: () => 'pool' },
    { what: 'leaf at depth 3', size, name: () => 'leaf' },
  ]);

const { against } = parseArgs({ options: { against: { type: 'string' } } }).values;
const server = await startRedis((line) => console.error(line));
const here = await open(HERE, 'here');
const there = against === undefined ? undefined : await open(resolve(against), 'there');
const checkouts = [here, ...(there === undefined ? [] : [there])];
try {
  for (let round = -WARM_UP; round < ROUNDS; round++)
    // Each is first in every other round.
    for (const kind of KINDS)
      for (const verb of VERBS)
        for (const one of round % 2 === 0 ? checkouts : checkouts.toReversed()) await measure(one, verb, kind, round);
  print();
} finally {
  for (const { redis } of checkouts) redis.disconnect();
  await server.stop();
}

async function measure(checkout: Checkout, verb: (typeof VERBS)[number], kind: Kind, round: number): Promise<void> {
  await checkout.redis.config('RESETSTAT');
  await checkout.run(verb, kind);
  const stats = await checkout.redis.info('commandstats');
  const us = Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats)?.[1]);
  if (round < 0) return;
  const name = nameOf(verb, kind);
  checkout.times.set(name, [...(checkout.times.get(name) ?? []), us / callsOf(kind)]);
}

function callsOf({ size }: Kind): number {
  return CALLS[size] ?? 1;
}

function nameOf(verb: string, { what, size }: Kind): string {
  return `${verb}, ${what}, ${size === 1 ? '1 item' : `${size} items`} a call`;
}

/** Imports a checkout's engine. */
async function open(folder: string, tenant: string): Promise<Checkout> {
  const at = (path: string) => pathToFileURL(resolve(folder, path)).href;
  const client: typeof import('../src/redis/client.ts') = await import(at('src/redis/client.ts'));
  const scripts: typeof import('../src/redis/scripts.ts') = await import(at('src/redis/scripts.ts'));
  const load: typeof import('../src/engine/tenant/load.ts') = await import(at('src/engine/tenant/load.ts'));
  const keys: typeof import('../src/identity/configuredTenants.ts') = await import(
    at('src/identity/configuredTenants.ts')
  );
  const redis = client.createRedis(server.url, (error) => console.error(error.message));
  scripts.defineScripts(redis, scripts.loadScripts(TIERS));
  const key = makeKey(tenant);
  const credential: Credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
  const tenants = keys.configuredTenants([{ key, tenant, tier: 'Enterprise' }]);
  const engine: Engine = { redis, loadTenant: load.configuredLoader(redis, tenants), tiers: TIERS };
  await registerPools(at, engine, credential);
  return { redis, run: await runnerOf(at, engine, credential), times: new Map() };
}

async function registerPools(at: (path: string) => string, engine: Engine, credential: Credential): Promise<void> {
  const definitions: typeof import('../src/engine/definitions/register.ts') = await import(
    at('src/engine/definitions/register.ts')
  );
  const { NOW }: typeof import('../src/engine/definitions/step.ts') = await import(
    at('src/engine/definitions/step.ts')
  );
  const item = { capacity: 100_000, blocks: [] };
  const items = [
    { ...item, name: 'pool', treePath: null },
    { ...item, name: 'root', treePath: null },
    { ...item, name: 'branch', treePath: 'root' },
    { ...item, name: 'leaf', treePath: 'root>branch' },
  ];
  await definitions.register(engine, credential, items, 16, NOW);
}

/** Returns what makes a round of calls: each verb works on what the reserves before it have made. */
async function runnerOf(
  at: (path: string) => string,
  engine: Engine,
  credential: Credential,
): Promise<Checkout['run']> {
  const { reserve }: typeof import('../src/engine/reservations/reserve.ts') = await import(
    at('src/engine/reservations/reserve.ts')
  );
  const { check }: typeof import('../src/engine/reservations/check.ts') = await import(
    at('src/engine/reservations/check.ts')
  );
  const { unreserve }: typeof import('../src/engine/reservations/unreserve.ts') = await import(
    at('src/engine/reservations/unreserve.ts')
  );
  let held: Awaited<ReturnType<typeof reserve>>['result'][] = [];
  return async (verb, kind) => {
    const { size, name, ttlSeconds } = kind;
    if (verb === 'check') for (const items of held) await check(engine, credential, items);
    if (verb === 'unreserve') for (const items of held) await unreserve(engine, credential, items);
    if (verb !== 'reserve') return;
    held = [];
    for (let i = 0; i < callsOf(kind); i++) {
      const items = Array.from({ length: size }, () => ({ resource: name(), requester: `r${fresh++}`, ttlSeconds }));
      const { result } = await reserve(engine, credential, items);
      const failed = result.find(({ status }) => status !== 'ACQUIRED');
      if (failed !== undefined) throw new Error(`${failed.resource}: ${failed.explanation}`);
      held.push(result);
    }
  };
}

function print(): void {
  console.log(`Redis time of a call in µs, median of ${ROUNDS} rounds`);
  for (const verb of VERBS)
    for (const kind of KINDS) {
      const name = nameOf(verb, kind);
      const [mine = [], other = []] = checkouts.map(({ times }) => times.get(name) ?? []);
      const ratio = figureOf(mine.map((us, i) => us / (other[i] ?? Number.NaN))).median;
      const beside =
        there === undefined ? '' : `   there ${figureOf(other).median.toFixed(2)}   ratio ${ratio.toFixed(3)}`;
      console.log(`${name.padEnd(56)} ${figureOf(mine).median.toFixed(2)}${beside}`);
    }
  for (const [name, value] of Object.entries(machine())) console.log(`${name}: ${value}`);
}
