/**
 * The scripts and the engine of a checkout of this repository, without HTTP: for benchmarks that compare two of them.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import type { Credential } from '../src/domain/tenants.ts';
import { DEFAULT_TIERS, UNLIMITED } from '../src/domain/tiers.ts';
import type { Engine } from '../src/engine/engine.ts';
import { digestOf, makeKey } from '../src/identity/credentials.ts';
import type { RedisClient } from '../src/redis/client.ts';
import type { Verb } from '../src/redis/verbs.ts';

const TIERS = { ...DEFAULT_TIERS, Enterprise: UNLIMITED };

let fresh = 0;
/** Returns a name that nothing has yet. */
export const freshName = (prefix: string): string => `${prefix}-${fresh++}`;

/** Requests of a kind, all with the same number of items. */
export interface Kind {
  readonly what: string;
  readonly size: number;
  readonly name: () => string;
  readonly ttlSeconds?: number;
  /** The status of each item; by default ACQUIRED. */
  readonly status?: string;
}

/** The verbs of a checkout, for a tenant of its own. */
export interface Checkout {
  readonly redis: RedisClient;
  readonly credential: Credential;
  /** Calls a verb of lua/verbs. The arguments are its keys, then what it takes. */
  runScript(verb: Verb, ...args: (string | number)[]): Promise<unknown>;
  /** Calls a verb so many times. `unreserve` takes what the calls of `reserve` before it have made. */
  run(verb: 'reserve' | 'unreserve', kind: Kind, calls: number): Promise<void>;
}

/**
 * Imports a checkout's engine.
 * @param url of the Redis
 */
export async function openCheckout(folder: string, tenant: string, url: string): Promise<Checkout> {
  const at = (path: string) => pathToFileURL(resolve(folder, path)).href;
  const client: typeof import('../src/redis/client.ts') = await import(at('src/redis/client.ts'));
  const scripts: typeof import('../src/redis/scripts.ts') = await import(at('src/redis/scripts.ts'));
  const load: typeof import('../src/engine/tenant/record.ts') = await import(at('src/engine/tenant/record.ts'));
  const keys: typeof import('../src/identity/configured.ts') = await import(at('src/identity/configured.ts'));
  const loaded = scripts.loadScripts(TIERS);
  await loadLibrary(url, loaded[0]?.library().lua ?? '');
  const redis = client.createRedis(url, (error) => console.error(error.message));
  scripts.defineScripts(redis, loaded);
  const key = makeKey(tenant);
  const credential: Credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
  const tenants = keys.configuredTenants([{ key, tenant, tier: 'Enterprise' }]);
  const engine: Engine = { redis, loadTenant: load.configuredLoader(redis, tenants), tiers: TIERS };
  await registerPools(at, engine, credential);
  const runScript: Checkout['runScript'] = (...call) => scripts.runScript(redis, ...call);
  return { redis, credential, runScript, run: await runnerOf(at, engine, credential) };
}

/** Under valgrind, Redis needs longer for it than a client of the service waits. */
async function loadLibrary(url: string, lua: string): Promise<void> {
  const redis = new Redis(url);
  await redis.function('LOAD', lua);
  await redis.quit();
}

async function registerPools(at: (path: string) => string, engine: Engine, credential: Credential): Promise<void> {
  const definitions: typeof import('../src/engine/definitions/changes.ts') = await import(
    at('src/engine/definitions/changes.ts')
  );
  const { NOW }: typeof import('../src/engine/definitions/changes.ts') = await import(
    at('src/engine/definitions/changes.ts')
  );
  const item = { capacity: 100_000, blocks: [] };
  const items = [
    { ...item, name: 'pool', treePath: null },
    { ...item, name: 'worn', treePath: null },
    { ...item, name: 'root', treePath: null },
    { ...item, name: 'branch', treePath: 'root' },
    { ...item, name: 'leaf', treePath: 'root>branch' },
  ];
  await definitions.register(engine, credential, items, NOW);
}

async function runnerOf(
  at: (path: string) => string,
  engine: Engine,
  credential: Credential,
): Promise<Checkout['run']> {
  const { reserve }: typeof import('../src/engine/reservations/reserve.ts') = await import(
    at('src/engine/reservations/reserve.ts')
  );
  const { unreserve }: typeof import('../src/engine/reservations/unreserve.ts') = await import(
    at('src/engine/reservations/unreserve.ts')
  );
  let held: Awaited<ReturnType<typeof reserve>>['result'][] = [];
  return async (verb, kind, calls) => {
    const { size, name, ttlSeconds } = kind;
    if (verb === 'unreserve') for (const items of held) await unreserve(engine, credential, items);
    if (verb !== 'reserve') return;
    held = [];
    for (let i = 0; i < calls; i++) {
      const items = Array.from({ length: size }, () => ({ resource: name(), requester: `r${fresh++}`, ttlSeconds }));
      const { result } = await reserve(engine, credential, items);
      const failed = result.find(({ status }) => status !== (kind.status ?? 'ACQUIRED'));
      if (failed !== undefined) throw new Error(`${failed.resource}: ${failed.explanation}`);
      if (kind.status === undefined) held.push(result);
    }
  };
}
