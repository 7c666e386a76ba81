/**
 * The client that scripts run on. It gives up on a Redis that is away within 2 s, so that callers get their 503 quickly,
 * and comes back by itself.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { HoldfastError } from '../domain/errors.ts';

/**
 * A command is tried again after one lost connection and then fails: at worst it waits out a silent socket, one pause
 * and one attempt to connect (750 + 50 + 600 ms), or two pauses and attempts (2 × (200 + 600) ms).
 */
const PATIENCE = {
  connectTimeout: 600,
  socketTimeout: 750,
  maxRetriesPerRequest: 1,
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

const AWAY =
  /^(Connection is closed|Reached the max retries|Socket timeout|LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|OOM|NOREPLICAS|BUSY|TRYAGAIN|MISCONF|Command timed out)|ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|Stream isn't writeable/;

/** Turns what ioredis throws where Redis cannot serve into `unavailable`; leaves any other error, which is a fault of ours. */
export function explainRedisError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return error.name === 'MaxRetriesPerRequestError' || AWAY.test(error.message)
    ? new HoldfastError(
        'unavailable',
        'The reservation store cannot be reached. The outcome is unknown: repeat the call.',
        {
          cause: error,
        },
      )
    : error;
}
