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
import { createPatientRedis, createRedis, createSubscriptions, type RedisClient } from './engine/redis.ts';
import { Replication } from './engine/replication.ts';
import { defineScripts, loadScripts, observeScripts } from './engine/scripts.ts';
import { overdueMs, sweep } from './engine/sweep.ts';
import { END_REASONS } from './events/stream.ts';
import { Streams, type StreamsObserver } from './events/streams.ts';
import type { AppEnv } from './http/env.ts';
import { shareCheck } from './http/routes/health.ts';
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
import { Metrics } from './telemetry/metrics.ts';
import type { Traces } from './telemetry/traces.ts';

export interface Services {
  readonly app: OpenAPIHono<AppEnv>;
  /** null: none are asked for */
  readonly metrics: Metrics | null;
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
  const metrics = config.metricsPort === undefined ? null : new Metrics();
  const traces = await tracesTo(config.tracesEndpoint, log);
  const scripts = loadScripts(config.tiers, includes);
  const prepare = (client: RedisClient) => {
    defineScripts(client, scripts);
    for (const observer of [metrics, traces])
      if (observer !== null) observeScripts(client, scripts, observer.startScript);
    return client;
  };
  prepare(redis);
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
  // The first client has the same trouble as this one, and tells.
  const confirmed = config.waitReplicas === 0 ? undefined : prepare(createRedis(config.redisUrl, () => {}));
  const replication = confirmed && new Replication(confirmed, config.waitReplicas);
  const engine: Engine = { redis, replication, loadTenant, tiers: config.tiers };
  if (store === null) for (const tenant of tenants.keys()) await loadTenant(tenant);

  let leaving = false;
  const isFit = shareCheck(() => redisFault(redis).catch(() => 'the reservation store cannot be reached'));
  const ready = async () => (leaving ? 'leaving' : isFit());
  const activity = new Activity(redis, log);
  const streams =
    config.role === 'worker'
      ? null
      : new Streams(engine, createSubscriptions(config.redisUrl, redis), log, metrics && streamsObserver(metrics));
  const app =
    streams === null
      ? createHealthApp({ log, ready, metrics, traces })
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
          unknownFields: config.unknownFields,
          log,
          metrics,
          traces,
          ready,
          knowsTenant: (id) => store !== null || tenants.has(id),
        });

  const closers: (() => unknown)[] = [() => streams?.close(), () => activity.close(), () => traces?.close()];
  if (config.role !== 'api') {
    const connection = createPatientRedis(config.redisUrl);
    const schedule = (name: string, everyMs: number, turn: () => Promise<void>) => {
      const timed = metrics === null ? turn : metrics.timed(name, turn);
      return startSchedule(connection, name, everyMs, timed, log).then(({ close }) => closers.push(close));
    };
    await schedule('expiry', config.sweepIntervalMs, async () => {
      const ended = await sweep(redis);
      metrics?.countSwept(ended);
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
  if (metrics !== null) addGauges(metrics, redis, database, streams);
  return {
    app,
    metrics,
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

/** The libraries are loaded only where they are needed. */
async function tracesTo(endpoint: string | undefined, log: Logger): Promise<Traces | null> {
  if (endpoint === undefined) return null;
  const { Traces } = await import('./telemetry/traces.ts');
  return new Traces(endpoint, log);
}

function streamsObserver(metrics: Metrics): StreamsObserver {
  for (const reason of END_REASONS) metrics.countStreamEnd(reason, 0);
  return {
    delivered: (events) => metrics.countDelivered(events),
    ended: (reason) => metrics.countStreamEnd(reason),
  };
}

/** What is looked up only when somebody asks for the metrics. */
function addGauges(metrics: Metrics, redis: RedisClient, database: Database | null, streams: Streams | null): void {
  const isFit = () => redisFault(redis).then((fault) => fault === null);
  metrics.addGauge('redis_up', 'Whether Redis can be relied on: 1 or 0', () => isFit().then(Number, () => 0));
  if (database !== null)
    metrics.addGauge('database_up', 'Whether the database answers: 1 or 0', () => database.isUp().then(Number));
  if (streams !== null) metrics.addGauge('streams_open', 'Streams of events that are open here', () => streams.size);
  metrics.addGauge(
    'sweep_lag_seconds',
    'How long the most overdue reservation waits for the expiry sweep, of all instances',
    async () => (await overdueMs(redis)) / 1000,
  );
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
