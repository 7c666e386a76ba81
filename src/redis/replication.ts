/**
 * Waits until replicas have what a script wrote (REDIS_WAIT_REPLICAS), so that no answer is given for what the death of
 * a primary could undo. WAIT holds up the connection that it is sent on, for as long as a replica takes to answer:
 * hence a client for these scripts alone, and one WAIT at a time on a connection, which then counts for all that was
 * written on it before.
 */
import { Cluster, type Redis } from 'ioredis';
import { HoldfastError } from '../domain/errors.ts';
import type { RedisClient } from './client.ts';
import { connectionTo, primariesOf } from './topology.ts';

/** That replicas have to answer; within the time that a connection may be silent. */
const WITHIN_MS = 500;

/** The WAITs on one connection. */
interface Lane {
  /** Settled when the last one that was sent is answered. */
  last: Promise<unknown>;
  /** The next one, not sent yet. */
  next: Promise<number> | null;
}

export class Replication {
  /** For scripts whose writes are waited for. */
  readonly redis: RedisClient;
  readonly #replicas: number;
  readonly #lanes = new WeakMap<Redis, Lane>();

  constructor(redis: RedisClient, replicas: number) {
    this.redis = redis;
    this.#replicas = replicas;
  }

  /**
   * Waits until enough replicas have what a script on this client wrote. To be called before anything else is awaited
   * after its reply: the WAIT must go out on the connection that the script ran on, since it counts what that one
   * wrote.
   * @param key the script's
   * @throws HoldfastError unavailable, where too few of them answer in time, or what they have cannot be told
   */
  async confirm(key: string): Promise<void> {
    const connection = connectionTo(this.redis, key);
    if (connection === undefined) throw unconfirmed();
    const { stream } = connection;
    try {
      // In a cluster the script may have run elsewhere while its slot is being moved: then this is refused here.
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
 * How many replicas the primary with the most of them has.
 * @throws Error if a primary does not answer
 */
export async function mostReplicas(redis: RedisClient): Promise<number> {
  const told = await Promise.all(primariesOf(redis).map((primary) => primary.info('replication')));
  return Math.max(0, ...told.map((info) => Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? 0)));
}

const unconfirmed = (cause?: unknown) =>
  new HoldfastError('unavailable', 'Too few replicas have confirmed it. The outcome is unknown: repeat the call.', {
    cause,
  });
