/**
 * A script does not roll back, so it decides first and writes last: whichever of its Redis calls fails, nothing is half
 * done. A call after the first write cannot fail for want of memory, replicas or a primary: Redis checks these at the
 * first only.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { deleteDefinition } from '../../src/engine/definitions/delete.ts';
import { register } from '../../src/engine/definitions/register.ts';
import { NOW } from '../../src/engine/definitions/step.ts';
import type { RedisClient } from '../../src/redis/client.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { LUA_FOLDER } from '../../src/redis/luaFiles.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { operatorOf } from '../support/tenancy.ts';
import { renew, reserve, reset, transaction, unreserve } from '../support/verbs.ts';

/** Makes the call fail whose number `{tenant}:failAt` holds, unless something was written before it. */
const FAILING = `
local real, calls, wrote, failAt = redis, 0, false, 0
local WRITES = { HSET = 1, HDEL = 1, HINCRBY = 1, ZADD = 1, ZREM = 1, SADD = 1, SREM = 1, SPOP = 1, BITFIELD = 1, UNLINK = 1, RENAMENX = 1, XADD = 1 }
redis = {
  pcall = real.pcall, sha1hex = real.sha1hex, log = real.log, LOG_WARNING = real.LOG_WARNING,
  call = function(...)
    calls = calls + 1
    if calls == failAt and not wrote then
      error('call ' .. calls .. ' fails')
    end
    wrote = wrote or WRITES[...]
    return real.call(...)
  end,
}
local run = (function()
${readFileSync(join(LUA_FOLDER, 'frame', 'run.lua'), 'utf8')}
end)()
return function(verb, keys, args)
  calls, wrote = 0, false
  failAt = tonumber(real.call('GET', string.gsub(keys[1], ':[^:]*$', ':') .. 'failAt') or 0)
  return run(verb, keys, args)
end
`;

const start = Date.now();
const item = (resource: string, ttlSeconds?: number) => ({ resource, requester: 'alice', ttlSeconds });

/**
 * Name → what is done once (on a tenant with a tree, a pool, blockers and reservations in force) and must be whole or
 * nothing.
 */
const VERBS: Record<string, (running: RunningEngine, held: ReserveResult[]) => Promise<unknown>> = {
  reserve: ({ engine, credential }) => reserve(engine, credential, [item('leaf', 5), item('plain', 5), item('slot_7')]),
  unreserve: ({ engine, credential }, held) => unreserve(engine, credential, held),
  'unreserve without a token, by an operator': async ({ engine, credential }, held) =>
    unreserve(
      engine,
      await operatorOf(engine.redis, credential.tenant),
      held.map(({ resource, requester }) => ({ resource, requester })),
    ),
  renew: ({ engine, credential }, held) =>
    renew(
      engine,
      credential,
      held.map((one) => ({ ...one, ttlSeconds: 2 })),
    ),
  transaction: ({ engine, credential }, held) =>
    transaction(engine, credential, 'ALL_OR_NONE', [
      ...held.map((one) => ({ requestType: 'UNRESERVE' as const, ...one })),
      { requestType: 'RESERVE', ...item('leaf', 1) },
    ]),
  'register, with a slot that is held becoming a pool’s': ({ engine, credential }) =>
    register(
      engine,
      credential,
      [
        { name: 'bed', capacity: 5, blocks: ['pillow'], treePath: 'ward' },
        { name: 'pool', capacity: 1, blocks: [], treePath: null },
      ],
      16,
      NOW,
    ),
  delete: ({ engine, credential }) => deleteDefinition(engine, credential, 'free', true, NOW),
  reset: ({ engine, credential }) => reset(engine, credential),
  sweep: async ({ engine, credential }) => {
    await setClock(engine.redis, credential.tenant, start + 100_000);
    return engine.redis.hf_sweep(...keysOf('sweep', credential.tenant), '');
  },
};

describe('where one of a script’s Redis calls fails, nothing is half done', () => {
  test.each(Object.keys(VERBS))('%s', async (name) => {
    const running = await startEngine(undefined, undefined, { 'frame/now': STEERED_CLOCK, 'frame/run': FAILING });
    const { engine, credential } = running;
    const { redis } = engine;
    await setClock(redis, credential.tenant, start);
    await register(
      engine,
      credential,
      [
        { name: 'pool', capacity: 3, blocks: ['tool'], treePath: 'root' },
        { name: 'leaf', capacity: 2, blocks: ['pool', 'ink'], treePath: 'root>branch' },
        { name: 'root', capacity: 5, blocks: [], treePath: null },
        { name: 'below', capacity: 1, blocks: [], treePath: 'free' },
      ],
      16,
      NOW,
    );
    const held = await reserve(engine, credential, [item('pool', 50), item('bed_3'), item('other', 60)]);

    const before = await stored(redis, credential.tenant);
    let failed = 0;
    for (;;) {
      await redis.set(`{${credential.tenant}}:failAt`, failed + 1);
      const outcome = await VERBS[name]?.(running, held).catch((error: unknown) => String(error));
      if (typeof outcome !== 'string' || !outcome.includes('fails')) break;
      failed++;
      expect(await stored(redis, credential.tenant), `call ${failed}`).toEqual(before);
    }
    expect(failed).toBeGreaterThan(1);
    expect(await stored(redis, credential.tenant)).not.toEqual(before);
    running.stop();
  });
});

/** All that is stored of a tenant. */
async function stored(redis: RedisClient, tenant: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const what of ['tenant', 'slots', 'pools', 'definitions', 'taken'])
    found[what] = Object.entries(await redis.hgetallBuffer(`{${tenant}}:${what}`))
      .map(([field, value]) => [field, value.toString('hex')])
      .sort();
  for (const what of ['index', 'due', 'takenAt']) found[what] = await redis.zrange(`{${tenant}}:${what}`, '0', '-1');
  return found;
}
