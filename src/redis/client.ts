/**
 * Makes Redis clients for every topology: one server, a primary behind sentinels, or a cluster. Commands run on them
 * through send() (send.ts).
 */
import { Cluster, Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from './address.ts';
import { countSilence, RETRY_EVERY_MS } from './send.ts';
import { ownerOf } from './topology.ts';

export type RedisClient = Redis | Cluster;

export type Options = Omit<RedisOptions, 'replyMapping'>;

/** A command fails as soon as its connection is lost. send() repeats it. */
const PATIENCE = {
  connectTimeout: 600,
  // Longer than send() waits: a slow script of one tenant does not close the connection that others use, and no caller
  // waits any more for a command that is cut off.
  socketTimeout: 2000,
  // A peer that is gone does not delay the next connection.
  disconnectTimeout: 200,
  maxRetriesPerRequest: 0,
} satisfies Options;

const reconnectAfter = (attempt: number) => Math.min(attempt * 50, 200);

const COMMANDS: Options = {
  ...PATIENCE,
  retryStrategy: reconnectAfter,
  // A primary that became a replica refuses writes: reconnect. send() repeats the command.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** Waits for Redis as long as it takes, as BullMQ requires. */
const PATIENT: Options = { maxRetriesPerRequest: null };

/** Only send() waits: a command in ioredis's queue would run after its caller got a 503. */
const NO_QUEUE = { enableOfflineQueue: false };

/** Redirections that ioredis follows within one attempt of send(). */
const MAX_REDIRECTIONS = 4;
const TRY_AGAIN_AFTER_MS = 20;

/** @throws Error if the address is malformed. The configuration has been checked for that */
export function addressOf(url: string): RedisAddress {
  const address = parseRedisAddress(url);
  if (typeof address === 'string') throw new Error(`the address of Redis ${address}`);
  return address;
}

/** Returns the options for a connection to any node of an address. */
function accessOf(address: RedisAddress): Options {
  if (address.kind === 'single') return {};
  const { username, password, tls } = address;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

/**
 * Keeps ioredis from printing an error, with its stack, for each failed connection to a sentinel. The clients that
 * listen for failovers are its own, so nobody else can handle their errors. Other sentinels do for one that is away. If
 * all are, commands fail.
 */
function quietenSentinels(): void {
  const name = 'connectToSentinel';
  const connect: unknown = Reflect.get(SentinelConnector.prototype, name);
  if (typeof connect !== 'function') throw new Error(`ioredis has no ${name}() any more`);
  Reflect.set(SentinelConnector.prototype, name, function (this: SentinelConnector, ...args: unknown[]) {
    const client: unknown = Reflect.apply(connect, this, args);
    return client instanceof Redis ? client.on('error', () => {}) : client;
  });
}
quietenSentinels();

/** Makes a client of one server, or of a primary behind sentinels. */
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
    // Sentinels announce a new primary. The connection to the old one may stay open and silent.
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
    // The connection looks up names itself, and checks certificates against them.
    dnsLookup: (host, callback) => callback(null, host),
  });
}

/**
 * Makes a client reconnect when its connection has ended, unless it was closed on purpose. ioredis ends a client of
 * sentinels for good if they announce a new primary while it is connecting.
 */
function keepConnected(client: RedisClient): void {
  if (client instanceof Cluster) return; // reconnects by itself
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
 * Catches failures of ASKING. A cluster's client sends it ahead of a command whose slot is being moved, and drops its
 * promise: if the connection is lost at that moment, the rejection would end the process. The command itself fails too,
 * so its caller gets the error.
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
 * Makes a client that scripts run on. It connects at once.
 * @param onError called for each lost or failed connection
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
  redis.on('error', () => {}); // the clients for scripts report the same errors
  keepConnected(redis);
  catchAskingFailures(redis);
  return redis;
}

/** Finds and connects to the primaries that publish on channels. */
export interface Subscriptions {
  /** Returns the address of the primary that publishes on a channel at the moment; '' if there is only one primary. */
  primaryOf(channel: string): Promise<string>;
  /** Makes a connection for subscriptions. It does not reconnect once it is lost. */
  connect(address: string): Redis;
}

/**
 * Makes connections for subscriptions to tenants' event channels, at the primary that publishes on the channel.
 * @param redis a client of the Redis at `url`
 */
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
      // A command on a key of the slot makes the client update its table of slots.
      await redis.exists(channel);
      return ownerOf(redis, channel);
    },
    connect: (at) => {
      const connection =
        address.kind === 'cluster'
          ? new Redis({ ...nodeOf(at), ...accessOf(address), ...options })
          : createOne(address, options);
      connection.on('error', () => {}); // an error is followed by the end of the connection
      return connection;
    },
  };
}

/** @param address host:port, as the nodes of a cluster report it */
function nodeOf(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
