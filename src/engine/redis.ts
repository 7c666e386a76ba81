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

/** How long send() goes on before it gives up. */
const PATIENCE_MS = 1500;
const RETRY_EVERY_MS = 50;

/** A command fails as soon as its connection is lost; send() tries it again. */
const PATIENCE = {
  connectTimeout: 600,
  // Longer than send() waits: a slow script of one tenant does not cut the connection of the others, and a cut command has no caller left.
  socketTimeout: 2000,
  // A peer that is gone does not hold up the next connection.
  disconnectTimeout: 200,
  maxRetriesPerRequest: 0,
} satisfies Options;

const reconnectAfter = (attempt: number) => Math.min(attempt * 50, 200);

const COMMANDS: Options = {
  ...PATIENCE,
  retryStrategy: reconnectAfter,
  // A primary that became a replica refuses writes: connect again. send() repeats the command.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** One that waits for Redis as long as it takes, as BullMQ wants it. */
const PATIENT: Options = { maxRetriesPerRequest: null };

/** Only send() waits: a command in a queue of ioredis would run after its caller has got a 503. */
const NO_QUEUE = { enableOfflineQueue: false };

/** Redirections that ioredis follows within one attempt of send(). */
const MAX_REDIRECTIONS = 4;
const TRY_AGAIN_AFTER_MS = 20;

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
  if (address.kind !== 'cluster') return createOne(address, { ...options, ...queue });
  const { retryStrategy, reconnectOnError, ...redisOptions } = options;
  return new Cluster([...address.nodes], {
    ...queue,
    redisOptions: { ...accessOf(address), ...redisOptions },
    clusterRetryStrategy: reconnectAfter,
    slotsRefreshTimeout: PATIENCE.connectTimeout,
    slotsRefreshInterval: 5000,
    maxRedirections: MAX_REDIRECTIONS,
    retryDelayOnTryAgain: TRY_AGAIN_AFTER_MS,
    retryDelayOnClusterDown: TRY_AGAIN_AFTER_MS,
    // A command whose connection was lost may have run: send() alone decides whether to repeat it.
    retryDelayOnFailover: 0,
    // Names are left to the connection, which checks the certificate against them.
    dnsLookup: (host, callback) => callback(null, host),
  });
}

/**
 * Has a client connect again when its connection has ended, unless somebody closed it. ioredis ends a client of sentinels for good if these tell of a new
 * primary while it is connecting.
 */
function keepConnected(client: RedisClient): void {
  if (client instanceof Cluster) return; // it goes on by itself
  let isClosing = false;
  const [disconnect, quit] = [client.disconnect.bind(client), client.quit.bind(client)];
  client.disconnect = (reconnect = false) => {
    isClosing ||= !reconnect;
    disconnect(reconnect);
  };
  client.quit = (callback) => {
    isClosing = true;
    return quit(callback);
  };
  const connect = () => {
    if (!isClosing) client.connect().catch(() => {});
  };
  client.on('end', () => setTimeout(connect, RETRY_EVERY_MS));
}

/**
 * Catches failures of ASKING. A cluster's client sends it ahead of a command whose slot is being moved, and drops its promise: if the connection
 * is lost just then, the rejection would end the process. The command itself fails too, and tells its caller.
 */
function catchAskingFailures(client: RedisClient): void {
  if (!(client instanceof Cluster)) return;
  client.on('+node', (node: Redis) => {
    const asking = node.asking.bind(node);
    node.asking = () => {
      const asked = asking();
      asked.catch(() => {});
      return asked;
    };
  });
}

/**
 * Makes the client that scripts run on; it connects at once.
 * @param onError told of each lost or failed connection
 */
export function createRedis(url: string, onError: (error: Error) => void): RedisClient {
  const redis = createAny(url, COMMANDS, NO_QUEUE);
  redis.on('error', onError);
  redis.on(redis instanceof Cluster ? 'node error' : 'error', countSilence);
  keepConnected(redis);
  catchAskingFailures(redis);
  return redis;
}

/** Makes a client for BullMQ. */
export function createPatientRedis(url: string): RedisClient {
  const redis = createAny(url, PATIENT, {});
  redis.on('error', () => {}); // the client above has the same trouble, and tells
  keepConnected(redis);
  catchAskingFailures(redis);
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

/** Errors by which Redis or ioredis says that a command was not carried out, and that may pass soon. */
const NOT_RUN =
  /^(Too many Cluster redirections\. Last error: \w+: )?(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|UNBLOCKED|NOSCRIPT)\b|^Stream isn't writeable|^Cluster isn't ready|^Failed to refresh slots|^None of startup nodes|^All sentinels are unreachable|ECONNREFUSED/;

/** Errors of a connection that was lost: the command may have run. */
const LOST =
  /^Connection is closed|^Command aborted|^Too many Cluster redirections|^Socket timeout|ECONN|EPIPE|ETIMEDOUT|Reached the max retries per request/;

/** Errors that will not pass at once: Redis cannot serve, or does not serve us. A script met keys that have moved. */
const AWAY = /^(OOM|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b|attempted to access a non local key/;

/** Whether an error says that Redis cannot be reached, or cannot serve: the fault is not in what was asked. */
export const isAway = (error: unknown): boolean =>
  error instanceof HoldfastError
    ? error.code === 'unavailable'
    : error instanceof Error && [NOT_RUN, LOST, AWAY].some((away) => away.test(error.message));

/** How often a connection was cut since nothing had come on it for too long. */
let silences = 0;

function countSilence(error: Error): void {
  if (error.message.startsWith('Socket timeout')) silences++;
}

const unavailable = (cause?: unknown) =>
  new HoldfastError(
    'unavailable',
    'The reservation store cannot be reached. The outcome is unknown: repeat the call.',
    { cause },
  );

/**
 * Runs a command, and repeats it while connections are lost or primaries replaced, for 1.5 s. It is not repeated after its connection was cut for
 * silence: Redis may still be at work on it.
 * @param command told whether an earlier attempt may have been carried out: its connection was lost before the answer came
 * @throws HoldfastError unavailable if Redis cannot serve; any other error is a fault of ours
 */
export function send<T>(command: (mayHaveRun: boolean) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let lastError: unknown;
    let mayHaveRun = false;
    let isOver = false;
    const fail = (error: unknown) => {
      isOver = true;
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(() => fail(unavailable(lastError ?? new Error('no answer in time'))), PATIENCE_MS);
    const attempt = () => {
      if (isOver) return;
      const silencesBefore = silences;
      command(mayHaveRun).then(
        (result) => {
          isOver = true;
          clearTimeout(timer);
          resolve(result);
        },
        (error: unknown) => {
          const message = error instanceof Error ? error.message : '';
          const isLost = !NOT_RUN.test(message) && LOST.test(message);
          if (isLost && silences !== silencesBefore) return fail(unavailable(error));
          if (isLost || NOT_RUN.test(message)) {
            lastError = error;
            mayHaveRun ||= isLost;
            setTimeout(attempt, RETRY_EVERY_MS);
            return;
          }
          fail(AWAY.test(message) ? unavailable(error) : error);
        },
      );
    };
    attempt();
  });
}
