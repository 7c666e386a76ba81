/**
 * `npm run bench:engine`: measures the Redis time of each script per item, for every kind of resource, and the longest
 * call. Takes half a minute, on a private Redis.
 */

import { startRedis } from '../scripts/redisServer.ts';
import type { ReserveItem, TransactionItem } from '../src/contract/reservations.ts';
import type { Credential } from '../src/domain/tenants.ts';
import { DEFAULT_TIERS, UNLIMITED } from '../src/domain/tiers.ts';
import { NOW, register } from '../src/engine/definitions/changes.ts';
import type { Engine } from '../src/engine/engine.ts';
import { renew } from '../src/engine/reservations/renew.ts';
import { reserve } from '../src/engine/reservations/reserve.ts';
import { transaction } from '../src/engine/reservations/transaction.ts';
import { reset, unreserve } from '../src/engine/reservations/unreserve.ts';
import { configuredLoader } from '../src/engine/tenant/record.ts';
import { configuredTenants } from '../src/identity/configured.ts';
import { digestOf, makeKey } from '../src/identity/credentials.ts';
import { createRedis } from '../src/redis/client.ts';
import { defineScripts, loadScripts } from '../src/redis/scripts.ts';
import { scriptTime } from './scriptTime.ts';
import { longestMs, watchSlow } from './slowlog.ts';

const ITEMS = 20_000;
const server = await startRedis((line) => console.log(line));
const redis = createRedis(server.url, (error) => console.error(error.message));
const tiers = { ...DEFAULT_TIERS, Enterprise: UNLIMITED };
defineScripts(redis, loadScripts(tiers));
const key = makeKey('bench');
const credential: Credential = { tenant: 'bench', credentialKey: digestOf(key), kind: 'key' };
const tenants = configuredTenants([{ key, tenant: 'bench', tier: 'Enterprise' }]);
const engine: Engine = { redis, loadTenant: configuredLoader(redis, tenants), tiers };

const names = (base: string, count: number) => Array.from({ length: count }, (_, i) => `${base}${i}`);
const plain = { capacity: 1, blocks: [], treePath: null };

try {
  await register(
    engine,
    credential,
    [
      { ...plain, name: 'ten', capacity: 10 },
      { ...plain, name: 'huge', capacity: 100_000 },
      { ...plain, name: 'R', capacity: 1000 },
      { ...plain, name: 'S', capacity: 1000, treePath: 'R' },
      { ...plain, name: 'T', capacity: 1000, treePath: 'R>S' },
      { ...plain, name: 'U', capacity: 1000, treePath: 'R>S>T' },
      { ...plain, name: 'leaf', capacity: 1000, treePath: 'R>S>T>U' },
      ...names('guarded', 100).map((name) => ({ ...plain, name, blocks: names(`${name}-part`, 5) })),
    ],
    NOW,
  );
  for (const i of names('holder', 100)) {
    await reserve(
      engine,
      credential,
      names(i, 500).map((requester) => ({ resource: 'huge', requester })),
    );
  }

  console.log('Redis time to reserve and unreserve an item, and the longest call of either');
  let fresh = 0;
  const each = (resource: string) => () => ({ resource, requester: `r${fresh++}` });
  const one = (more: object) => () => ({ resource: `plain-${fresh++}`, requester: 'r', ...more });
  await cycle('plain', [1, 100, 500], one({}));
  await cycle('plain, with a lease', [1, 100, 500], one({ ttlSeconds: 600 }));
  await cycle('pool of 10', [1, 10], each('ten'));
  await cycle('pool of 100,000, half of it held', [1, 100, 500], each('huge'));
  await cycle('leaf at depth 5, all five pools', [1, 100], each('leaf'));
  await cycle('with 5 blockers', [1, 50], () => ({ resource: `guarded${fresh++ % 100}`, requester: 'r' }));
  await allOrNone();
  await renewing();
} finally {
  redis.disconnect();
  await server.stop();
}

async function cycle(what: string, sizes: readonly number[], next: () => ReserveItem): Promise<void> {
  for (const size of sizes) {
    await watchSlow(redis, 100);
    const us = await scriptTime(redis, async () => {
      for (let done = 0; done < ITEMS; done += size) {
        const { result: results } = await reserve(engine, credential, Array.from({ length: size }, next));
        const failed = results.find(({ status }) => status !== 'ACQUIRED');
        if (failed !== undefined) throw new Error(`${what}: ${failed.explanation}`);
        await unreserve(engine, credential, results);
      }
    });
    row(`${what}, ${size} a call`, `${(us / ITEMS).toFixed(1)} µs   ${await slowest()}`);
  }
}

async function allOrNone(): Promise<void> {
  let fresh = 0;
  await watchSlow(redis, 100);
  const us = await scriptTime(redis, async () => {
    for (let done = 0; done < ITEMS; done += 10) {
      const items = Array.from(
        { length: 10 },
        (): TransactionItem => ({ requestType: 'RESERVE', resource: `all-${fresh++}`, requester: 'r' }),
      );
      await transaction(engine, credential, 'ALL_OR_NONE', items);
    }
  });
  row('ALL_OR_NONE of 10, reserves only', `${(us / ITEMS).toFixed(1)} µs   ${await slowest()}`);
  await reset(engine, credential);
}

async function renewing(): Promise<void> {
  const items = names('lease-', 500).map((resource) => ({ resource, requester: 'r', ttlSeconds: 600 }));
  const held = (await reserve(engine, credential, items)).result.map((one) => ({ ...one, ttlSeconds: 900 }));
  await renew(engine, credential, held);
  const us = await scriptTime(redis, async () => {
    for (let i = 0; i < 40; i++) await renew(engine, credential, held);
  });
  row('renew, 500 a call', `${(us / 20_000).toFixed(1)} µs`);
}

async function slowest(): Promise<string> {
  return `longest call ${(await longestMs(redis, 100)).toFixed(2)} ms`;
}

function row(what: string, figures: string): void {
  console.log(`${what.padEnd(44)} ${figures}`);
}
