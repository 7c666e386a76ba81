/**
 * Puts the parts of an instance together. src/wire is the only place where clients and adapters are made.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { SignInWay } from '../dashboard/env.ts';
import type { Engine } from '../engine/engine.ts';
import { Activity } from '../engine/tenant/activity.ts';
import { look } from '../engine/waiting/beat.ts';
import type { TenantDeps } from '../http/deps.ts';
import type { ConfiguredKey } from '../identity/configured.ts';
import { cookieName, OneTimeToken, Sealer } from '../identity/credentials.ts';
import { publicKeyOf } from '../identity/vapidKey.ts';
import { startUp } from '../jobs/startUp.ts';
import { FailedAuthentications } from '../limits/failedAuthentications.ts';
import { Places } from '../limits/places.ts';
import { ConcurrentLists, ReadLimiter } from '../limits/reads.ts';
import { Hints } from '../notices/hints.ts';
import { Background } from '../operations/background.ts';
import { SLACK, type SlackSite } from '../outgoing/slack.ts';
import type { RedisClient } from '../redis/client.ts';
import { redisFault, refusalOf } from '../redis/health.ts';
import { mostReplicas } from '../redis/replication.ts';
import { isFull } from '../redis/send.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import { DueTimers } from '../waiting/timers.ts';
import { type App, createApp, createHealthApp } from './app.ts';
import { type Clients, createClients } from './clients.ts';
import { addGauges } from './gauges.ts';
import { refusesToWrite, watchHealth } from './health.ts';
import { openStores } from './openStores.ts';
import { openPushes } from './pushes.ts';
import type { Stores } from './stores.ts';

export interface Services {
  readonly app: App;
  /** null: metrics are not configured */
  readonly metrics: Metrics | null;
  /** The token of the link that signs in on this machine; null: people sign in otherwise, or not at all */
  readonly signInToken: OneTimeToken | null;
  /** Why the instance has not started to serve yet; null if it has. */
  readonly startFault: string | null;
  /** Resolves once the instance has started to serve. */
  readonly started: Promise<void>;
  /** Makes readiness fail from now on. Requests are still served. */
  unready(): void;
  /** Makes readiness fail, answers long polls, closes the event streams and refuses new ones. */
  leave(): void;
  /** Stops jobs and closes connections. */
  close(): Promise<void>;
}

export interface WireOptions {
  /** Replacements for modules of lua/, by name. Tests control the clock with one. */
  readonly includes?: Readonly<Record<string, string>>;
  /** Where Slack is. Tests have one of their own. */
  readonly slack?: SlackSite;
}

/**
 * Opens the database, connects to Redis, and once Redis is usable loads the configured tenants into it and starts the
 * jobs of the instance's role. While Redis is unreachable or misconfigured, the instance is not ready and retries.
 * @param keys of the in-memory mode
 * @throws Error with a message for the operator, if the database cannot be used
 */
export async function wire(
  config: Config,
  keys: readonly ConfiguredKey[],
  log: Logger,
  { includes = {}, slack = SLACK }: WireOptions = {},
): Promise<Services> {
  const metrics = config.metricsPort === undefined ? null : new (await import('../telemetry/metrics.ts')).Metrics();
  const traces = await loadTraces(config.tracesEndpoint, log);
  const observers = metrics === null ? [] : [metrics.startScript];
  const clients = createClients(config, log, { includes, observers });
  const { redis } = clients;
  const stores = await openStores(config, keys, { redis, metrics, log }).catch((error: unknown) => {
    clients.disconnect();
    throw error;
  });
  const { engine, stopHelpers } = makeEngine(config, clients, stores);
  const sending = await openSending(config, clients, stores, slack, log);
  const jobs = config.role === 'api' ? null : await import('./jobs.ts');
  let stopJobs = async () => {};
  let isClosed = false;
  const start = await startUp(async () => {
    const fault = (await startFault(config.redisUrl, clients, stores)) ?? (isClosed ? 'leaving' : null);
    if (fault !== null) return fault;
    if (jobs !== null) stopJobs = await jobs.startJobs(config, { clients, stores, slack, metrics, log });
    void warnOfReplicas(clients, config.waitReplicas, log);
    return null;
  }, log);

  const health = watchHealth(clients, start, config.livenessRedisMs, log);
  const { logRequests } = config;
  const observability = { log, logRequests, metrics, traces, ready: health.ready, alive: health.alive };
  const activity = new Activity(redis, log);
  const pushes = config.role === 'worker' ? null : openPushes(config, engine, clients.subscriptions, log, metrics);
  const signIn = await signInOf(config);
  const app =
    pushes === null
      ? createHealthApp(observability)
      : await createApp({
          ...settingsOf(config),
          ...observability,
          ...adaptersOf(config, engine, stores, signIn, sending.adapters),
          activity,
          streams: pushes.streams,
          calls: pushes.calls,
          configuredKeys: keys,
        });
  if (metrics !== null) addGauges(metrics, { redis, database: stores.store?.database ?? null, pushes });
  return {
    app,
    metrics,
    signInToken: signIn.kind === 'local' ? signIn.token : null,
    get startFault() {
      return start.fault;
    },
    started: start.done,
    unready: health.unready,
    leave: () => {
      health.unready();
      pushes?.leave();
    },
    close: async () => {
      isClosed = true;
      start.close();
      health.close();
      await stopHelpers();
      await Promise.all([pushes?.close(), sending.close()]);
      await activity.close();
      await traces?.close();
      await stopJobs();
      await stores.close();
      await clients.quit();
    },
  };
}

/** Makes the engine, with the timers that it arms and the hints that it gives to workers. */
function makeEngine({ tiers }: Config, clients: Clients, { loadTenant, store }: Stores) {
  const { redis, replication } = clients;
  const due = new DueTimers((tenant) => look(engine, tenant));
  // Without a database there are no notices.
  const hints = store === null ? null : new Hints(clients.createForJobs);
  const engine: Engine = { redis, replication, loadTenant, tiers, onDue: due.arm, onOutbox: hints?.wake };
  const stopHelpers = async () => {
    due.close();
    await hints?.close();
  };
  return { engine, stopHelpers };
}

/** Opens what callers make this instance send: answers to Slack, and tests of subscriptions. */
async function openSending(config: Config, clients: Clients, { store }: Stores, slack: SlackSite, log: Logger) {
  const background = new Background();
  const withoutOutlets = { adapters: { slack, background, outlets: {} }, close: () => background.close() };
  if (store === null || config.role === 'worker') return withoutOutlets;
  const { makeOutlets } = await import('./outlets.ts');
  const connections: RedisClient[] = [];
  const connect = () => {
    const connection = clients.createForJobs();
    connections.push(connection);
    return connection;
  };
  const { outlets, close } = await makeOutlets(config, { store, connect, slack, log });
  return {
    adapters: { slack, background, outlets },
    close: async () => {
      await Promise.all([background.close(), close()]);
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Loads the configured tenants if Redis is usable. Returns why the instance cannot start; null if it can. */
async function startFault(redisUrl: string, clients: Clients, stores: Stores): Promise<string | null> {
  const fault = await redisFault(clients.redis).catch(async (error: unknown) =>
    isFull(error)
      ? 'Redis is full'
      : (refusesToWrite(error) ?? `Redis cannot be reached (${(await refusalOf(redisUrl)) ?? clients.lastError()})`),
  );
  if (fault !== null) return fault;
  return stores.loadConfigured().then(
    () => null,
    () => 'the configured tenants cannot be put into Redis',
  );
}

/** Warns if the loss of a primary, or a planned failover, could undo writes that callers saw succeed. */
async function warnOfReplicas({ redis }: Clients, waitReplicas: number, log: Logger): Promise<void> {
  const replicas = await mostReplicas(redis).catch(() => 0);
  if (waitReplicas >= replicas) return;
  const warning =
    'REDIS_WAIT_REPLICAS is less than the number of replicas: a failover may undo confirmed writes. Set it to that number';
  log.warn({ waitReplicas, replicas }, warning);
}

/** Loads the OpenTelemetry libraries only if an endpoint is configured. */
async function loadTraces(endpoint: string | undefined, log: Logger): Promise<Traces | null> {
  if (endpoint === undefined) return null;
  const { Traces } = await import('../telemetry/traces.ts');
  return new Traces(endpoint, log);
}

/** The settings that the app needs. */
const settingsOf = ({ trustedProxies, sizes, publicUrl }: Config) => ({
  trustedProxies,
  sizes,
  publicUrl,
  sessionCookie: cookieName(publicUrl, 'session'),
});

/** Maximum number of subscriptions that an instance tests at the same time. */
const MAX_TESTS = 16;

/** The adapters that the app calls. */
function adaptersOf(
  config: Config,
  engine: Engine,
  stores: Stores,
  signIn: SignInWay,
  more: Pick<TenantDeps, 'slack' | 'background' | 'outlets'>,
) {
  const { store, jwtVerifier, knowsTenant } = stores;
  const { adminRule, allowPrivateJwks, webhookRules, vapidKey } = config;
  const sealer = new Sealer(config.database?.keySecret ?? '');
  return {
    engine,
    definitions: stores.changesOf(engine),
    bookings: stores.bookingsOf(engine),
    trail: stores.trailOf(engine),
    history: stores.history,
    reads: new ReadLimiter(engine),
    listings: new ConcurrentLists(),
    failedAuthentications: new FailedAuthentications(engine.redis, config.maxFailedAuthentications),
    tenants: store && {
      ...{ store, sealer, allowPrivateJwks, webhookRules, hasMail: config.mail !== null, ...more },
      pushKey: vapidKey === null ? null : publicKeyOf(vapidKey),
      tests: new Places<symbol>(MAX_TESTS),
    },
    adminRule,
    memberships: stores.membershipsOf(engine, sealer),
    roleNow: stores.roleNow,
    jwtVerifier,
    signIn,
    knowsTenant,
  };
}

async function signInOf({ signIn, publicUrl = '' }: Config): Promise<SignInWay> {
  if (signIn.kind === 'local') return { kind: 'local', token: new OneTimeToken() };
  if (signIn.kind !== 'oidc') return signIn;
  const { OidcClient } = await import('../identity/oidc.ts');
  const client = new OidcClient({ ...signIn, redirectUri: `${publicUrl}/auth/callback` });
  return { kind: 'oidc', client, issuer: signIn.issuer, sealer: new Sealer(signIn.cookieSecret) };
}
