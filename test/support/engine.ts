/**
 * The engine without HTTP before it, with a tenant of its own.
 */

import { readFileSync } from 'node:fs';
import { Command } from 'ioredis';
import { inject } from 'vitest';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS, type TierLimits, UNLIMITED } from '../../src/domain/tiers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { configuredLoader } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import type { Script } from '../../src/redis/bundle.ts';
import { createRedis } from '../../src/redis/client.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { send } from '../../src/redis/send.ts';
import type { Verb } from '../../src/redis/verbs.ts';
import { STEERED_CLOCK } from './clock.ts';
import { makeConfiguredKey, makeTenant } from './service.ts';
import { until } from './until.ts';

export interface RunningEngine {
  readonly engine: Engine;
  readonly credential: Credential;
  readonly scripts: readonly Script[];
  stop(): void;
}

/**
 * Starts one whose clock is steered by setClock, and is Redis's own until it is.
 * @param includes stand-ins for modules of lua/, by name
 * @param limits of the tenant's tier; none if left out
 * @param key of the tenant; a new one if left out
 */
export async function startEngine(
  tenant = makeTenant(),
  redisUrl = inject('redisUrl'),
  includes: Readonly<Record<string, string>> = { 'frame/now': STEERED_CLOCK },
  limits: Partial<TierLimits> = {},
  key = makeConfiguredKey(tenant),
): Promise<RunningEngine> {
  const redis = createRedis(redisUrl, () => {});
  const tiers = { ...DEFAULT_TIERS, Enterprise: { ...UNLIMITED, ...limits } };
  const scripts = loadScripts(tiers, includes);
  defineScripts(redis, scripts);
  // Once it is connected, tests may use it without send().
  await until('Redis', () => send(() => redis.ping()).catch(() => null), 30_000);
  const tenants = configuredTenants([key]);
  return {
    engine: {
      redis,
      loadTenant: configuredLoader(redis, tenants),
      tiers,
    },
    credential: { tenant, credentialKey: digestOf(key.key), kind: 'key' },
    scripts,
    stop: () => redis.disconnect(),
  };
}

/**
 * An engine whose calls of one script go through a test.
 */

/**
 * @param around called instead of each call of the verb's function. `send` sends it, and returns the reply as ioredis
 * receives it, in which strings are bytes
 */
export function interceptScript(
  { engine, scripts }: Pick<RunningEngine, 'engine' | 'scripts'>,
  verb: Verb,
  around: (send: () => Promise<unknown>, firstKey: string) => Promise<unknown>,
): Engine {
  const { redis } = engine;
  const intercept = (command: Command) => {
    if (!String(command.args[0]).startsWith(`hf_${verb}_`)) return redis.sendCommand(command);
    const [resolve, reject] = [command.resolve.bind(command), command.reject.bind(command)];
    const send = () =>
      new Promise((replied, failed) => {
        command.resolve = replied;
        command.reject = failed;
        void redis.sendCommand(command);
      });
    return around(send, String(command.args[2])).then(resolve, reject);
  };
  const intercepted = new Proxy(redis, {
    get: (client, name) => {
      const value: unknown = Reflect.get(client, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const [command] = args;
        if (name === 'sendCommand' && command instanceof Command) return intercept(command);
        return Reflect.apply(value, client, args);
      };
    },
  });
  defineScripts(intercepted, scripts);
  return { ...engine, redis: intercepted };
}

/**
 * An engine that loses the first reply of a script.
 */

/** The engine, with the first reply of a verb lost; what somebody else does meanwhile comes between. */
export function losingReply(
  running: Pick<RunningEngine, 'engine' | 'scripts'>,
  verb: Verb,
  meanwhile: () => Promise<unknown> = async () => {},
): Engine {
  let isLost = false;
  return interceptScript(running, verb, async (send) => {
    const reply = await send();
    const [code] = Array.isArray(reply) ? reply.map(String) : String(reply).split('\r');
    if (isLost || code !== 'OK') return reply;
    isLost = true;
    await meanwhile();
    throw new Error('Connection is closed.');
  });
}

/** Scripts that settle the queue in the smallest pieces: each looks at one ticket, or at one queue. */
export const SMALL_PIECES = {
  'waiting/settle': readFileSync('lua/waiting/settle.lua', 'utf8').replace(
    /(MIN_SETTLE_WORK, MAX_SETTLE_WORK, MAX_SCRIPT_WORK) = [\d, ]+/,
    '$1 = 0, 0, 0',
  ),
};
