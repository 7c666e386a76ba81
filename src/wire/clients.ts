/**
 * Makes every Redis client of an instance: for scripts, for scripts whose writes are confirmed by replicas, for
 * subscriptions and for BullMQ.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { Outage } from '../domain/outage.ts';
import type { ScriptObserver } from '../domain/scriptObserver.ts';
import {
  createPatientRedis,
  createRedis,
  createSubscriptions,
  type RedisClient,
  type Subscriptions,
} from '../redis/client.ts';
import { Replication } from '../redis/replication.ts';
import { defineScripts, loadScripts, observeScripts } from '../redis/scripts.ts';

export interface ClientOptions {
  /** Replacements for modules of lua/, by name. */
  readonly includes: Readonly<Record<string, string>>;
  /** Called for each script call of each client. */
  readonly observers: readonly ScriptObserver[];
}

export interface Clients {
  readonly redis: RedisClient;
  /** undefined unless REDIS_WAIT_REPLICAS is set */
  readonly replication: Replication | undefined;
  /** The clients that run scripts. */
  readonly forScripts: readonly RedisClient[];
  readonly subscriptions: Subscriptions;
  /** The message of the last connection error since Redis was last connected. */
  lastError(): string;
  /** Makes another client that runs scripts. The caller closes it. */
  createFresh(): RedisClient;
  /** Returns the name of the library of functions in Redis. */
  libraryName(): string;
  /** Makes a client for BullMQ, which waits for Redis as long as it takes. The caller closes it. */
  createForJobs(): RedisClient;
  /** Closes the connections once their commands in flight are answered. */
  quit(): Promise<void>;
  /** Closes the connections at once. */
  disconnect(): void;
}

/** Makes the clients. They connect in the background. */
export function createClients(config: Config, log: Logger, { includes, observers }: ClientOptions): Clients {
  const { redisUrl, waitReplicas } = config;
  const scripts = loadScripts(config.tiers, includes);
  const prepare = (client: RedisClient) => {
    defineScripts(client, scripts, () => log.warn(FORBIDDEN));
    for (const observer of observers) observeScripts(client, observer);
    return client;
  };
  let lastError = NO_ANSWER;
  const outage = new Outage(log, 'Redis cannot be reached: retrying', 'Redis is connected again');
  const redis = prepare(
    createRedis(redisUrl, (err) => {
      outage.failed(err);
      lastError = err.message;
    }),
  );
  redis.on('ready', () => {
    outage.worked();
    lastError = NO_ANSWER;
  });
  // The first client logs the errors that both have.
  const confirmed = waitReplicas === 0 ? [] : [prepare(createRedis(redisUrl, () => {}))];
  const [replication] = confirmed.map((client) => new Replication(client, waitReplicas));
  const forScripts = [redis, ...confirmed];
  return {
    redis,
    replication,
    forScripts,
    subscriptions: createSubscriptions(redisUrl, redis),
    lastError: () => lastError,
    createFresh: () => {
      const fresh = createRedis(redisUrl, () => {});
      defineScripts(fresh, scripts);
      return fresh;
    },
    libraryName: () => scripts[0]?.library().name ?? '',
    createForJobs: () => createPatientRedis(redisUrl),
    quit: async () => {
      for (const client of forScripts.toReversed()) await client.quit().catch(() => client.disconnect());
    },
    disconnect: () => {
      for (const client of forScripts) client.disconnect();
    },
  };
}

const NO_ANSWER = 'no answer';

const FORBIDDEN =
  'Redis forbids functions: everything runs as scripts, which costs Redis more (docs/operations/redis.md#functions)';
