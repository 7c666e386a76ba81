/**
 * The only place where clients and adapters are made and handed on.
 */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Logger } from 'pino';
import { createApp, createHealthApp } from './app.ts';
import type { Config } from './config.ts';
import type { SignInWay } from './dashboard/env.ts';
import { Activity } from './engine/activity.ts';
import { changeInRedis } from './engine/changeInRedis.ts';
import type { Engine } from './engine/engine.ts';
import { redisFault } from './engine/health.ts';
import { configuredLoader } from './engine/loadTenant.ts';
import { reconcile } from './engine/reconcile.ts';
import { createPatientRedis, createRedis, createSubscriptions } from './engine/redis.ts';
import { Replication } from './engine/replication.ts';
import { defineScripts, loadScripts, type Script } from './engine/scripts.ts';
import { sweep } from './engine/sweep.ts';
import { Streams } from './events/streams.ts';
import type { AppEnv } from './http/env.ts';
import { type ConfiguredKey, configuredTenants } from './identity/configuredTenants.ts';
import { type IssuerLookup, JwtVerifier } from './identity/jwtVerifier.ts';
import { OidcClient } from './identity/oidc.ts';
import { Sealer } from './identity/sealer.ts';
import { startSchedule } from './jobs/schedule.ts';
import { FailedAuthentications } from './limits/failedAuthentications.ts';
import { ReadLimiter } from './limits/reads.ts';
import { Database } from './store/database.ts';
import { changeInDatabase } from './store/definitions.ts';
import { findIssuers } from './store/issuers.ts';
import type { Store } from './store/records.ts';
import { WorkingCopy } from './store/workingCopy.ts';

export interface Services {
  readonly app: OpenAPIHono<AppEnv>;
  /** Makes readiness fail from now on; all is still served. */
  unready(): void;
  /** Ends the streams of events besides, and opens no more. */
  leave(): void;
  /** Ends jobs and connections. */
  close(): Promise<void>;
}

export interface WireOptions {
  /** Stand-ins for files of lua/includes, by name; tests steer the clock by it. */
  readonly includes?: Readonly<Record<string, string>>;
}

/**
 * Connects to Redis, checks it, opens the database or puts the configured tenants into Redis, and starts the jobs that the role asks for.
 * @param keys of the in-memory mode
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
  const scripts = loadScripts(config.tiers, includes);
  defineScripts(redis, scripts);
  const tenants = configuredTenants(keys);
  let database: Database | null = null;
  try {
    const fault = await redisFault(redis).catch(() => `Redis cannot be reached (${lastError.message})`);
    if (fault !== null) throw new Error(fault);
    database = config.database && (await Database.open(config.database.url, config.database.pool, log));
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const store = database && { database, redis };
  const copy = database && new WorkingCopy(database, { redis, tiers: config.tiers });
  const loadTenant = copy === null ? configuredLoader(redis, tenants) : (id: string) => copy.refresh(id);
  const replication = config.waitReplicas === 0 ? undefined : createReplication(config, scripts);
  const engine: Engine = { redis, replication, loadTenant, tiers: config.tiers };
  if (store === null) for (const tenant of tenants.keys()) await loadTenant(tenant);

  let leaving = false;
  const ready = async () =>
    leaving ? 'leaving' : redisFault(redis).catch(() => 'the reservation store cannot be reached');
  const activity = new Activity(redis, log);
  const streams =
    config.role === 'worker' ? null : new Streams(engine, createSubscriptions(config.redisUrl, redis), log);
  const app =
    streams === null
      ? createHealthApp({ log, ready })
      : createApp({
          engine,
          definitions:
            database === null || copy === null
              ? changeInRedis(engine, config.sizes.treeDepth)
              : changeInDatabase(database, engine, copy, config.sizes.treeDepth),
          activity,
          streams,
          reads: new ReadLimiter(engine),
          failedAuthentications: new FailedAuthentications(redis, config.maxFailedAuthentications),
          trustedProxies: config.trustedProxies,
          tenants: store && {
            store,
            sealer: new Sealer(config.database?.keySecret ?? ''),
            adminRule: config.adminRule,
            allowPrivateJwks: config.allowPrivateJwks,
          },
          jwtVerifier: verifierOf(config, store),
          signIn: signInOf(config),
          publicUrl: config.publicUrl,
          configuredKeys: keys,
          sizes: config.sizes,
          log,
          ready,
          knowsTenant: (id) => store !== null || tenants.has(id),
        });

  const closers: (() => unknown)[] = [() => streams?.close(), () => activity.close()];
  if (config.role !== 'api') {
    const connection = createPatientRedis(config.redisUrl);
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
    if (copy !== null) {
      let since = Date.now() - FIRST_LOOK_BACK_MS;
      await schedule('copies', REFRESH_EVERY_MS, async () => {
        const start = Date.now();
        const refreshed = await copy.refreshChanged(new Date(since));
        // What was being written meanwhile bears an earlier time than that at which it can be seen.
        since = start - LOOK_BACK_MS;
        if (refreshed > 0) log.warn({ refreshed }, 'working copies were behind the database');
      });
    }
    closers.push(() => connection.quit());
  }
  return {
    app,
    unready: () => {
      leaving = true;
    },
    leave: () => {
      leaving = true;
      streams?.leave();
    },
    close: async () => {
      for (const close of closers) await close();
      await database?.close();
      for (const client of [replication?.redis, redis]) await client?.quit().catch(() => client.disconnect());
    },
  };
}

function createReplication({ redisUrl, waitReplicas }: Config, scripts: readonly Script[]): Replication {
  const redis = createRedis(redisUrl, () => {}); // the first client has the same trouble, and tells
  defineScripts(redis, scripts);
  return new Replication(redis, waitReplicas);
}

/** How often what changed in the database is compared with Redis. */
const REFRESH_EVERY_MS = 10_000;
const LOOK_BACK_MS = 60_000;
/** How far a worker looks back when it starts. */
const FIRST_LOOK_BACK_MS = 86_400_000;

function signInOf({ signIn, publicUrl = '' }: Config): SignInWay {
  if (signIn.kind !== 'oidc') return signIn;
  const client = new OidcClient({ ...signIn, redirectUri: `${publicUrl}/auth/callback` });
  return { kind: 'oidc', client, issuer: signIn.issuer };
}

/** What verifies JWTs, by the issuers that the database has, or the configuration; null where that has none. */
function verifierOf({ jwtIssuers, allowPrivateJwks: allowPrivate }: Config, store: Store | null): JwtVerifier | null {
  if (store !== null)
    return new JwtVerifier((issuer, audiences) => findIssuers(store, issuer, audiences), { allowPrivate });
  if (jwtIssuers.length === 0) return null;
  const lookUp: IssuerLookup = async (issuer, audiences) =>
    jwtIssuers.filter((one) => one.issuer === issuer && audiences.includes(one.audience));
  return new JwtVerifier(lookUp, { allowPrivate });
}
