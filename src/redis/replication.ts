/**
 * Waits until replicas have received a script's writes (REDIS_WAIT_REPLICAS), so that the loss of a primary cannot undo
 * confirmed writes. WAIT blocks its connection until the replicas respond. So these scripts have a client of their own,
 * and one WAIT at a time runs on a connection and covers all earlier writes on it.
 */
import { Cluster, type Redis } from 'ioredis';
import { HoldfastError } from '../domain/errors.ts';
import type { RedisClient } from './client.ts';
import { connectionTo, primariesOf } from './topology.ts';

/** Time that replicas have to respond, in ms. Shorter than the timeout of a silent connection. */
const WITHIN_MS = 500;

/** The WAITs on one connection. */
interface Lane {
  /** Settles with the reply to the last WAIT that was sent. */
  last: Promise<unknown>;
  /** The next WAIT, not sent yet; null: there is none */
  next: Promise<number> | null;
}

export class Replication {
  /** The client for scripts whose writes are confirmed. */
  readonly redis: RedisClient;
  readonly #replicas: number;
  readonly #lanes = new WeakMap<Redis, Lane>();

  constructor(redis: RedisClient, replicas: number) {
    this.redis = redis;
    this.#replicas = replicas;
  }

  /**
   * Waits until enough replicas have received the writes of a script on this client. Call it right after the script's
   * reply, before awaiting anything else: WAIT covers only writes of the connection that it is sent on.
   * @param key a key of the script
   * @throws HoldfastError unavailable, if too few replicas respond in time
   */
  async confirm(key: string): Promise<void> {
    const connection = connectionTo(this.redis, key);
    if (connection === undefined) throw unconfirmed();
    const { stream } = connection;
    try {
      // While a cluster moves the slot, the script may have run on another node. This command then fails.
      const isHere = this.redis instanceof Cluster ? connection.exists(key) : null;
      const [replicas] = await Promise.all([this.#wait(connection), isHere]);
      if (replicas >= this.#replicas && connection.stream === stream) return;
    } catch (cause) {
      throw unconfirmed(cause);
    }
    throw unconfirmed();
  }

  #wait(connection: Redis): Promise<number> {
    const lane = this.#lanes.get(connection) ?? { last: Promise.resolve(), next: null };
    this.#lanes.set(connection, lane);
    lane.next ??= lane.last.then(() => {
      lane.next = null;
      const sent = connection.wait(this.#replicas, WITHIN_MS);
      lane.last = sent.catch(() => {});
      return sent;
    });
    return lane.next;
  }
}

/**
 * Returns the number of replicas of the primary that has the most.
 * @throws Error if a primary does not respond
 */
export async function mostReplicas(redis: RedisClient): Promise<number> {
  const replies = await Promise.all(primariesOf(redis).map((primary) => primary.info('replication')));
  return Math.max(0, ...replies.map((info) => Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? 0)));
}

const unconfirmed = (cause?: unknown) =>
  new HoldfastError('unavailable', 'Too few replicas have confirmed it. The outcome is unknown: repeat the call.', {
    cause,
  });
