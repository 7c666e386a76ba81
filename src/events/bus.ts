/**
 * What tenants' scripts publish, to whoever holds streams of theirs here: connections that are subscribed to the
 * channels of these tenants, one to each primary that publishes on any. A connection that was lost may have missed
 * something, so its loss is told.
 */
import type { Redis } from 'ioredis';
import { eventsChannel, tenantOfChannel } from '../redis/keys.ts';
import { send } from '../redis/send.ts';
import type { Subscriptions } from '../redis/subscriptions.ts';

/**
 * How soon a connection that has gone silent is found out: so often it is asked, and its answer awaited as long as any.
 */
const PING_EVERY_MS = 1000;

export interface BusListener {
  /** A message of events (message.ts); empty: look whether the keys of the tenant's streams are still valid. */
  onMessage(tenant: string, payload: Buffer): void;
  /** Nothing that was published for these tenants from some moment before now on was received. */
  onLost(tenants: readonly string[]): void;
}

export class Bus {
  readonly #subscriptions: Subscriptions;
  readonly #listener: BusListener;
  readonly #heartbeat: NodeJS.Timeout;
  /** By the address of the primary. */
  readonly #connections = new Map<string, Redis>();
  /** Tenant → where it is subscribed, or just being. */
  readonly #subscribed = new Map<string, Redis>();

  constructor(subscriptions: Subscriptions, listener: BusListener) {
    this.#subscriptions = subscriptions;
    this.#listener = listener;
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections.values()) connection.ping().catch(() => {});
    }, PING_EVERY_MS);
  }

  /** @throws HoldfastError unavailable */
  async subscribe(tenant: string): Promise<void> {
    const channel = eventsChannel(tenant);
    await send(async () => {
      const known = this.#subscribed.get(tenant);
      const connection = known ?? this.#connection(await this.#subscriptions.primaryOf(channel));
      this.#subscribed.set(tenant, connection);
      // A replica takes subscriptions too, but passes on what its primary publishes as best it can.
      const [[role]] = await Promise.all([connection.role(), connection.ssubscribe(channel)]);
      if (String(role) === 'master') return;
      this.#lose(connection);
      throw new Error('READONLY subscribed at a replica');
    });
  }

  async unsubscribe(tenant: string): Promise<void> {
    const connection = this.#subscribed.get(tenant);
    this.#subscribed.delete(tenant);
    await connection?.sunsubscribe(eventsChannel(tenant));
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const connection of this.#connections.values()) connection.disconnect();
  }

  #connection(address: string): Redis {
    const existing = this.#connections.get(address);
    if (existing !== undefined) return existing;
    const connection = this.#subscriptions.connect(address);
    connection.on('smessageBuffer', (channel: Buffer, payload: Buffer) =>
      this.#listener.onMessage(tenantOfChannel(channel.toString()), payload),
    );
    connection.on('end', () => this.#lose(connection));
    // A slot is not this primary's any more: Redis has ended the subscriptions in it, and does not say which these
    // were.
    connection.on('moved', () => this.#lose(connection));
    this.#connections.set(address, connection);
    return connection;
  }

  #lose(lost: Redis): void {
    for (const [address, connection] of this.#connections) if (connection === lost) this.#connections.delete(address);
    const tenants = [...this.#subscribed].flatMap(([tenant, connection]) => (connection === lost ? [tenant] : []));
    for (const tenant of tenants) this.#subscribed.delete(tenant);
    lost.disconnect();
    if (tenants.length > 0) this.#listener.onLost(tenants);
  }
}
