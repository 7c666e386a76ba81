/**
 * The clients of Redis, whichever of its topologies the address names, and send(), by which commands run on them: it goes on while a primary is
 * being replaced, and gives up in time for callers to get their 503 within 2 s.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { HoldfastError } from '../domain/errors.ts';
import { parseRedisAddress, type RedisAddress } from '../domain/redisAddress.ts';
import { ownerOf } from './topology.ts';

export type RedisClient = Redis | Cluster;

type Options = Omit<RedisOptions, 'replyMapping'>;

/** That send() takes at most. */
const PATIENCE_MS = 1500;
const RETRY_EVERY_MS = 50;

/**
 * A command fails as soon as its connection is lost; send() tries it again.
 */
const PATIENCE = {
  connectTimeout: 600,
  socketTimeout: 600,
  maxRetriesPerRequest: 0,
} satisfies Options;

const reconnectAfter = (attempt: number) => Math.min(attempt * 50, 200);

const COMMANDS: Options = {
  ...PATIENCE,
  retryStrategy: reconnectAfter,
  // A primary that became a replica refuses writes: connect anew, and send the command again.
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
};

/** One that waits for Redis as long as it takes, as BullMQ wants it. */
const PATIENT: Options = { maxRetriesPerRequest: null };

/** No other than send() is to wait: what waited longer would run after its caller has been told that it failed. */
const NO_QUEUE = { enableOfflineQueue: false };

/** `unix://<path>` or any address that ioredis takes. */
export const redisAddress = (url: string): string => (url.startsWith('unix://') ? url.slice('unix://'.length) : url);

/** @throws Error where there is no such address; the configuration has been checked for that */
function addressOf(url: string): RedisAddress {
  const address = parseRedisAddress(url);
  if (typeof address === 'string') throw new Error(`the address of Redis ${address}`);
  return address;
}

/** What a connection to any node of it needs. */
function accessOf(address: RedisAddress): Options {
  if (address.kind === 'single') return {};
  const { username, password, tls } = address;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

/** Makes a client of one server, or of the primary that the sentinels name. */
function createOne(address: Exclude<RedisAddress, { kind: 'cluster' }>, options: Options): Redis {
  if (address.kind === 'single') return new Redis(address.address, options);
  const { sentinels, name, db, tls, sentinelUsername, sentinelPassword } = address;
  return new Redis({
    sentinels: sentinels.map((node) => ({ ...node })),
    name,
    db,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    sentinelCommandTimeout: PATIENCE.connectTimeout,
    sentinelRetryStrategy: reconnectAfter,
    // The sentinels tell of a new primary: a connection to the old one may stay open, and silent.
    failoverDetector: true,
    ...accessOf(address),
    ...options,
  });
}

function createAny(url: string, options: Options, queue: typeof NO_QUEUE | Record<string, never>): RedisClient {
  const address = addressOf(url);
  if (address.kind === 'single') return createOne(address, options);
  if (address.kind === 'sentinel') return createOne(address, { ...options, ...queue });
  const { retryStrategy, reconnectOnError, ...redisOptions } = options;
  return new Cluster([...address.nodes], {
    ...queue,
    redisOptions: { ...accessOf(address), ...redisOptions },
    clusterRetryStrategy: reconnectAfter,
    slotsRefreshTimeout: PATIENCE.connectTimeout,
    slotsRefreshInterval: 5000,
    // Names are left to the connection, which checks the certificate against them.
    dnsLookup: (host, callback) => callback(null, host),
  });
}

/**
 * Makes the client that scripts run on; it connects at once.
 * @param onError told of each lost or failed connection
 */
export function createRedis(url: string, onError: (error: Error) => void): RedisClient {
  const redis = createAny(url, COMMANDS, NO_QUEUE);
  redis.on('error', onError);
  return redis;
}

/** Makes a client for BullMQ. */
export function createPatientRedis(url: string): RedisClient {
  const redis = createAny(url, PATIENT, {});
  redis.on('error', () => {}); // the client above has the same trouble, and tells
  return redis;
}

/** Where channels are subscribed to. */
export interface Subscriptions {
  /** The address of the primary that publishes on a channel, as of now; '' where there is only one. */
  primaryOf(channel: string): Promise<string>;
  /** Makes a connection for subscriptions alone. Once it is lost, it has ended. */
  connect(address: string): Redis;
}

/** @param redis a client of the same Redis */
export function createSubscriptions(url: string, redis: RedisClient): Subscriptions {
  const address = addressOf(url);
  const options: Options = {
    ...PATIENCE,
    autoResubscribe: false,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  };
  return {
    primaryOf: async (channel) => {
      if (!(redis instanceof Cluster)) return '';
      // Any command on a key there puts the client's table of slots right.
      await redis.exists(channel);
      return ownerOf(redis, channel);
    },
    connect: (at) => {
      const connection =
        address.kind === 'cluster'
          ? new Redis({ ...nodeOf(at), ...accessOf(address), ...options })
          : createOne(address, options);
      connection.on('error', () => {}); // as above
      return connection;
    },
  };
}

/** @param address host:port, as a cluster's nodes tell it */
function nodeOf(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

/** What passes when a connection is made anew, a primary replaced, a slot moved, scripts forgotten more than once. */
const PASSING =
  /^(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|UNBLOCKED|NOSCRIPT)\b|^Connection is closed|^Command aborted|^Stream isn't writeable|^Cluster isn't ready|^Too many Cluster redirections|^Failed to refresh slots|^None of startup nodes|^All sentinels are unreachable|ECONN|EPIPE|ETIMEDOUT/;

/** What Redis answers where it cannot serve, or not us, and will not at once. */
const AWAY = /^(OOM|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b/;

const isPassing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'MaxRetriesPerRequestError' || PASSING.test(error.message));

const unavailable = (cause?: unknown) =>
  new HoldfastError(
    'unavailable',
    'The reservation store cannot be reached. The outcome is unknown: repeat the call.',
    { cause },
  );

/**
 * Runs a command, again and again while connections are lost under it: every script may be run twice, since it knows its own
 * release tokens again.
 * @throws HoldfastError unavailable, where Redis cannot serve; any other error is a fault of ours
 */
export function send<T>(command: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let lastError: unknown;
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(timer);
    };
    const timer = setTimeout(() => {
      isOver = true;
      reject(unavailable(lastError ?? new Error('no answer in time')));
    }, PATIENCE_MS);
    const attempt = () => {
      if (isOver) return;
      command().then(
        (result) => {
          end();
          resolve(result);
        },
        (error: unknown) => {
          if (isPassing(error)) {
            lastError = error;
            setTimeout(attempt, RETRY_EVERY_MS);
            return;
          }
          end();
          reject(error instanceof Error && AWAY.test(error.message) ? unavailable(error) : error);
        },
      );
    };
    attempt();
  });
}
