/**
 * What tenants' scripts publish, to whoever holds streams of theirs here: one connection that is subscribed to the channels of
 * these tenants. A connection that was lost may have missed something, so its loss is told.
 */
import type { Redis } from 'ioredis';
import { eventsChannel, tenantOfChannel } from '../engine/keys.ts';
import { send } from '../engine/redis.ts';

/** How soon a connection that has gone silent is found out: so often it is asked, and its answer awaited as long as any. */
const PING_EVERY_MS = 2000;

export interface BusListener {
  /** Events as streams send them; empty: look whether the keys of the tenant's streams are still valid. */
  onMessage(tenant: string, frames: Buffer): void;
  /** Nothing that was published from some moment before now on was received. */
  onLost(): void;
}

export class Bus {
  readonly #redis: Redis;
  readonly #heartbeat: NodeJS.Timeout;

  /** @param redis for this alone; it must not subscribe again by itself after a loss (autoResubscribe false) */
  constructor(redis: Redis, { onMessage, onLost }: BusListener) {
    this.#redis = redis;
    redis.on('smessageBuffer', (channel: Buffer, frames: Buffer) =>
      onMessage(tenantOfChannel(channel.toString()), frames),
    );
    redis.on('close', onLost);
    this.#heartbeat = setInterval(() => redis.ping().catch(() => {}), PING_EVERY_MS);
  }

  /** @throws HoldfastError unavailable */
  async subscribe(tenant: string): Promise<void> {
    await send(() => this.#redis.ssubscribe(eventsChannel(tenant)));
  }

  /** @throws HoldfastError unavailable */
  async unsubscribe(tenant: string): Promise<void> {
    await send(() => this.#redis.sunsubscribe(eventsChannel(tenant)));
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#redis.disconnect();
  }
}
