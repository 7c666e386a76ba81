/**
 * The only place where clients and adapters are made and handed on.
 */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { SignInWay } from '../dashboard/env.ts';
import { changeInDatabase } from '../definitions/changeInDatabase.ts';
import { changeInRedis } from '../definitions/changeInRedis.ts';
import { WorkingCopy } from '../definitions/workingCopy.ts';
import type { Engine } from '../engine/call.ts';
import { reconcile } from '../engine/expiry/reconcile.ts';
import { overdueMs, sweep } from '../engine/expiry/sweep.ts';
import { Activity } from '../engine/tenant/activity.ts';
import { configuredLoader } from '../engine/tenant/load.ts';
import { END_REASONS } from '../events/stream.ts';
import { Streams, type StreamsObserver } from '../events/streams.ts';
import type { AppEnv } from '../http/env.ts';
import { shareCheck } from '../http/health.ts';
import { type ConfiguredKey, configuredTenants } from '../identity/configuredTenants.ts';
import { cookieName } from '../identity/cookies.ts';
import { type IssuerLookup, JwtVerifier } from '../identity/jwtVerifier.ts';
import { OidcClient } from '../identity/oidc.ts';
import { Sealer } from '../identity/sealer.ts';
import { startSchedule } from '../jobs/schedule.ts';
import { startUp } from '../jobs/startUp.ts';
import { FailedAuthentications } from '../limits/failedAuthentications.ts';
import { Listings } from '../limits/listings.ts';
import { ReadLimiter } from '../limits/reads.ts';
import { createPatientRedis, createRedis, type RedisClient } from '../redis/client.ts';
import { redisFault } from '../redis/health.ts';
import { Liveness } from '../redis/liveness.ts';
import { mostReplicas, Replication } from '../redis/replication.ts';
import { defineScripts, loadScripts, observeScripts } from '../redis/scripts.ts';
import { createSubscriptions } from '../redis/subscriptions.ts';
import { Database } from '../store/database.ts';
import { findIssuers } from '../store/issuers.ts';
import type { Store } from '../store/records.ts';
import { Metrics } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import { createApp, createHealthApp } from './app.ts';

export interface Services {
  readonly app: OpenAPIHono<AppEnv>;
  /** null: none are asked for */
  readonly metrics: Metrics | null;
  /** Why it has not started to serve yet; null if it has. */
  readonly startFault: string | null;
  /** Settled once it has started to serve. */
  readonly started: Promise<void>;
  /** Makes readiness fail from now on; all is still served. */
  unready(): void;
  /** Ends the streams of events besides, and opens no more. */
  leave(): void;
  /** Ends jobs and connections. */
  close(): Promise<void>;
}

export interface WireOptions {
  /** Stand-ins for files of lua/lib, by name; tests steer the clock by it. */
  readonly includes?: Readonly<Record<string, string>>;
}

/**
 * Opens the database, connects to Redis, and once that is usable puts the configured tenants into it and starts the
 * jobs that the role asks for. While Redis is away, or not configured as it must be, the instance is not ready, and
 * goes on trying.
 * @param keys of the in-memory mode
 * @throws Error with a message for whoever started the service, if the database cannot be used
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

  const closers: (() => unknown)[] = [];
  const startJobs = () => {
    if (config.role === 'api') return;
    const connection = createPatientRedis(config.redisUrl);
    const schedule = (name: string, everyMs: number, turn: () => Promise<void>) => {
      const timed = metrics === null ? turn : metrics.timed(name, turn);
      closers.push(startSchedule(connection, name, everyMs, timed, log).close);
    };
    schedule('expiry', config.sweepIntervalMs, async () => {
      const ended = await sweep(redis);
      metrics?.countSwept(ended);
      if (ended > 0) log.debug({ ended }, 'swept');
    });
    schedule('reconciliation', config.reconcileIntervalMs, async () => {
      const repaired = await reconcile(redis);
      if (repaired > 0) log.warn({ repaired }, 'the expiry index had lost tenants');
    });
    if (copy !== null) {
      let since = Date.now() - FIRST_LOOK_BACK_MS;
      schedule('copies', REFRESH_EVERY_MS, async () => {
        const start = Date.now();
        const refreshed = await copy.refreshChanged(new Date(since));
        // What was being written meanwhile bears an earlier time than that at which it can be seen.
        since = start - LOOK_BACK_MS;
        if (refreshed > 0) log.warn({ refreshed }, 'working copies were behind the database');
      });
    }
    closers.push(() => connection.quit());
  };
  let isClosed = false;
  const start = await startUp(async () => {
    const fault = await redisFault(redis).catch(() => `Redis cannot be reached (${lastError.message})`);
    if (fault !== null) return fault;
    if (isClosed) return 'leaving';
    try {
      if (store === null) for (const tenant of tenants.keys()) await loadTenant(tenant);
    } catch {
      return 'the configured tenants cannot be put into Redis';
    }
    startJobs();
    void warnOfReplicas(redis, config.waitReplicas, log);
    return null;
  }, log);

  let leaving = false;
  const isUsable = shareCheck(() => redisFault(redis).catch(() => 'the reservation store cannot be reached'));
  const ready = async () => {
    if (leaving) return 'leaving';
    return start.fault ?? isUsable();
  };
  const isFit = (...clients: RedisClient[]) =>
    Promise.all(clients.map(redisFault)).then(
      () => true,
      () => false,
    );
  const liveness = new Liveness(
    () => isFit(redis, ...(confirmed === undefined ? [] : [confirmed])),
    async () => {
      const fresh = createRedis(config.redisUrl, () => {});
      defineScripts(fresh, scripts);
      return isFit(fresh).finally(() => fresh.disconnect());
    },
    config.livenessRedisMs,
  );
  const alive = () => liveness.fault;
  const activity = new Activity(redis, log);
  const streams =
    config.role === 'worker'
      ? null
      : new Streams(engine, createSubscriptions(config.redisUrl, redis), log, metrics && streamsObserver(metrics));
  const app =
    streams === null
      ? createHealthApp({ log, ready, alive, metrics, traces })
      : createApp({
          engine,
          definitions:
            database === null || copy === null
              ? changeInRedis(engine, config.sizes.treeDepth)
              : changeInDatabase(database, engine, copy, config.sizes.treeDepth),
          activity,
          streams,
          reads: new ReadLimiter(engine),
          listings: new Listings(),
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
          sessionCookie: cookieName(config.publicUrl, 'session'),
          publicUrl: config.publicUrl,
          configuredKeys: keys,
          sizes: config.sizes,
          unknownFields: config.unknownFields,
          log,
          metrics,
          traces,
          ready,
          alive,
          knowsTenant: (id) => store !== null || tenants.has(id),
        });

  if (metrics !== null) addGauges(metrics, redis, database, streams);
  return {
    app,
    metrics,
    get startFault() {
      return start.fault;
    },
    started: start.done,
    unready: () => {
      leaving = true;
    },
    leave: () => {
      leaving = true;
      streams?.leave();
    },
    close: async () => {
      isClosed = true;
      start.close();
      liveness.close();
      for (const close of [() => streams?.close(), () => activity.close(), () => traces?.close(), ...closers])
        await close();
      await database?.close();
      for (const client of [replication?.redis, redis]) await client?.quit().catch(() => client.disconnect());
    },
  };
}

/** Warns if the death of a primary, or a planned failover, could undo what was answered. */
async function warnOfReplicas(redis: RedisClient, waited: number, log: Logger): Promise<void> {
  const replicas = await mostReplicas(redis).catch(() => 0);
  if (waited >= replicas) return;
  const warning =
    'REDIS_WAIT_REPLICAS is less than the number of replicas: a failover may undo what was answered. Set it to that number';
  log.warn({ waited, replicas }, warning);
}

/** The libraries are loaded only where they are needed. */
async function tracesTo(endpoint: string | undefined, log: Logger): Promise<Traces | null> {
  if (endpoint === undefined) return null;
  const { Traces } = await import('../telemetry/traces.ts');
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
    return new JwtVerifier((tenant, issuer, audiences) => findIssuers(store, tenant, issuer, audiences), {
      allowPrivate,
    });
  if (jwtIssuers.length === 0) return null;
  const lookUp: IssuerLookup = async (tenant, issuer, audiences) =>
    jwtIssuers.filter((one) => one.tenant === tenant && one.issuer === issuer && audiences.includes(one.audience));
  return new JwtVerifier(lookUp, { allowPrivate });
}
