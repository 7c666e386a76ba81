/**
 * The client that scripts run on. It gives up on a Redis that is away within 2 s, so that callers get their 503 quickly,
 * and comes back by itself.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { HoldfastError } from '../domain/errors.ts';

/**
 * A command fails as soon as its connection is lost; send() tries it once more. At worst that is a silent socket, a pause
 * and another silent socket, or twice a pause and an attempt to connect: 2 × (200 + 600) ms.
 */
const PATIENCE = {
  connectTimeout: 600,
  socketTimeout: 600,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, 200),
  // A primary that became a replica refuses writes: connect anew, and send the command again.
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions;

/** `unix://<path>` or any address that ioredis takes. */
export const redisAddress = (url: string): string => (url.startsWith('unix://') ? url.slice('unix://'.length) : url);

/**
 * Makes the client; it connects at once.
 * @param onError told of each lost or failed connection
 */
export function createRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(redisAddress(url), PATIENCE);
  redis.on('error', onError);
  return redis;
}

/** Makes a client for subscriptions alone. After a loss it connects again, and leaves subscribing to its owner. */
export function createSubscriber(url: string): Redis {
  const redis = new Redis(redisAddress(url), { ...PATIENCE, autoResubscribe: false });
  redis.on('error', () => {}); // the client above has the same trouble, and tells
  return redis;
}

/** What Redis answers, or ioredis says, where it cannot serve just now. */
const AWAY = /^(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|OOM|NOREPLICAS|BUSY|TRYAGAIN|MISCONF)\b|ECONN|EPIPE|ETIMEDOUT/;

/**
 * Runs a command, and once more where the connection was lost under it: every script may be run twice, since it knows its
 * own release tokens again.
 * @throws HoldfastError unavailable, where Redis cannot serve; any other error is a fault of ours
 */
export async function send<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command().catch((error: unknown) => {
      if (isLostConnection(error)) return command();
      throw error;
    });
  } catch (error) {
    if (isLostConnection(error) || (error instanceof Error && AWAY.test(error.message))) {
      const message = 'The reservation store cannot be reached. The outcome is unknown: repeat the call.';
      throw new HoldfastError('unavailable', message, { cause: error });
    }
    throw error;
  }
}

const isLostConnection = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'MaxRetriesPerRequestError' || error.message === 'Connection is closed.');
