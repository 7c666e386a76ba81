/**
 * Makes connections for subscriptions to tenants' event channels, at the primary that publishes on the channel.
 */
import { Cluster, Redis } from 'ioredis';
import { accessOf, addressOf, createOne, type Options, PATIENCE, type RedisClient } from './client.ts';
import { ownerOf } from './topology.ts';

/** Finds and connects to the primaries that publish on channels. */
export interface Subscriptions {
  /** Returns the address of the primary that publishes on a channel at the moment; '' if there is only one primary. */
  primaryOf(channel: string): Promise<string>;
  /** Makes a connection for subscriptions. It does not reconnect once it is lost. */
  connect(address: string): Redis;
}

/** @param redis a client of the Redis at `url` */
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
