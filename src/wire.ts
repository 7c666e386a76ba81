/**
 * The only place where clients and adapters are made and handed on.
 */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createApp, createHealthApp } from './app.ts';
import type { Config } from './config.ts';
import { changeInRedis } from './engine/changeInRedis.ts';
import type { Engine } from './engine/engine.ts';
import { redisFault } from './engine/health.ts';
import { configuredLoader } from './engine/loadTenant.ts';
import { reconcile } from './engine/reconcile.ts';
import { createRedis, createSubscriber, redisAddress } from './engine/redis.ts';
import { defineScripts, loadScripts } from './engine/scripts.ts';
import { sweep } from './engine/sweep.ts';
import { Streams } from './events/streams.ts';
import type { AppEnv } from './http/env.ts';
import { type ConfiguredKey, configuredTenants } from './identity/configuredTenants.ts';
import { startSchedule } from './jobs/schedule.ts';
import { FailedAuthentications } from './limits/failedAuthentications.ts';
import { ReadLimiter } from './limits/reads.ts';

export interface Services {
  readonly app: OpenAPIHono<AppEnv>;
  /** Makes readiness fail from now on, and ends the streams of events. */
  leave(): void;
  /** Ends jobs and connections. */
  close(): Promise<void>;
}

export interface WireOptions {
  /** Stand-ins for files of lua/includes, by name; tests steer the clock by it. */
  readonly includes?: Readonly<Record<string, string>>;
}

/**
 * Connects to Redis, checks it, puts the configured tenants there and starts the jobs that the role asks for.
 * @throws Error with a message for whoever started the service, where it cannot work
 */
export async function wire(
  config: Config,
  keys: readonly ConfiguredKey[],
  log: Logger,
  { includes = {} }: WireOptions = {},
): Promise<Services> {
  let lastError = new Error('no answer');
  const redis = createRedis(config.redisUrl, (error) => {
    if (error.message !== lastError.message) log.warn({ err: error }, 'redis connection');
    lastError = error;
  });
  redis.on('ready', () => {
    lastError = new Error('no answer');
  });
  defineScripts(redis, loadScripts(config.tiers, includes));
  const tenants = configuredTenants(keys);
  const engine: Engine = { redis, loadTenant: configuredLoader(redis, tenants), tiers: config.tiers };
  try {
    const fault = await redisFault(redis).catch(() => `Redis cannot be reached (${lastError.message})`);
    if (fault !== null) throw new Error(fault);
    for (const tenant of tenants.keys()) await engine.loadTenant(tenant);
  } catch (error) {
    redis.disconnect();
    throw error;
  }

  let leaving = false;
  const ready = async () =>
    leaving ? 'leaving' : redisFault(redis).catch(() => 'the reservation store cannot be reached');
  const streams = config.role === 'worker' ? null : new Streams(engine, createSubscriber(config.redisUrl), log);
  const app =
    streams === null
      ? createHealthApp({ log, ready })
      : createApp({
          engine,
          definitions: changeInRedis(engine, config.sizes.treeDepth),
          streams,
          reads: new ReadLimiter(engine),
          failedAuthentications: new FailedAuthentications(redis, config.maxFailedAuthentications),
          trustedProxies: config.trustedProxies,
          sizes: config.sizes,
          log,
          ready,
          knowsTenant: (id) => tenants.has(id),
        });

  const closers: (() => unknown)[] = [() => streams?.close()];
  if (config.role !== 'api') {
    const connection = new Redis(redisAddress(config.redisUrl), { maxRetriesPerRequest: null });
    connection.on('error', () => {}); // the same trouble as the client above has, which logs it
    const schedule = (name: string, everyMs: number, turn: () => Promise<void>) =>
      startSchedule(connection, name, everyMs, turn, log).then(({ close }) => closers.push(close));
    await schedule('expiry', config.sweepIntervalMs, async () => {
      const ended = await sweep(redis);
      if (ended > 0) log.debug({ ended }, 'swept');
    });
    await schedule('reconciliation', config.reconcileIntervalMs, async () => {
      const repaired = await reconcile(redis);
      if (repaired > 0) log.warn({ repaired }, 'the expiry index had lost tenants');
    });
    closers.push(() => connection.quit());
  }
  return {
    app,
    leave: () => {
      leaving = true;
      streams?.leave();
    },
    close: async () => {
      for (const close of closers) await close();
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}
