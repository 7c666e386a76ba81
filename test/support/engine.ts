/**
 * The engine without HTTP before it, with a tenant of its own.
 */
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
 * @param limits of the tenant's tier; what is left out is not limited
 */
export async function startEngine(
  tenant = makeTenant(),
  redisUrl = inject('redisUrl'),
  includes: Readonly<Record<string, string>> = { 'frame/now': STEERED_CLOCK },
  limits: Partial<TierLimits> = {},
): Promise<RunningEngine> {
  const redis = createRedis(redisUrl, () => {});
  const tiers = { ...DEFAULT_TIERS, Enterprise: { ...UNLIMITED, ...limits } };
  const scripts = loadScripts(tiers, includes);
  defineScripts(redis, scripts);
  // Once it is connected, tests may use it without send().
  await until('Redis', () => send(() => redis.ping()).catch(() => null), 30_000);
  const key = makeConfiguredKey(tenant);
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
