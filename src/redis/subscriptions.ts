/**
 * Connections for subscriptions to a tenant's channel of events, at the primary that publishes on it.
 */
import { Cluster, Redis } from 'ioredis';
import { accessOf, addressOf, createOne, type Options, PATIENCE, type RedisClient } from './client.ts';
import { ownerOf } from './topology.ts';

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
