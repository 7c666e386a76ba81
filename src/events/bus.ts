/**
 * Receives the messages that tenants' scripts publish, for the tenants that have streams on this instance. It keeps one
 * connection to each primary that publishes for them. Messages may be missed while a connection is lost, so the loss of
 * a connection is reported.
 */
import type { Redis } from 'ioredis';
import { eventsChannel, tenantOfChannel } from '../redis/keys.ts';
import { send } from '../redis/send.ts';
import type { Subscriptions } from '../redis/subscriptions.ts';

/** Interval of PINGs, which detect silent connections, in ms. The reply to a PING has the timeout of any command. */
const PING_EVERY_MS = 1000;

export interface BusListener {
  /**
   * Called for each message of events (message.ts). An empty one means: check the credentials of the tenant's streams.
   */
  onMessage(tenant: string, payload: Buffer): void;
  /** Called when the connection for these tenants was lost: recent messages may be missing, and no more will come. */
  onLost(tenants: readonly string[]): void;
}

export class Bus {
  readonly #subscriptions: Subscriptions;
  readonly #listener: BusListener;
  readonly #heartbeat: NodeJS.Timeout;
  /** Address of the primary → connection. */
  readonly #connections = new Map<string, Redis>();
  /** Tenant → the connection on which its channel is subscribed, or is being subscribed. */
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
      // A replica accepts subscriptions too, but may miss messages of its primary.
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
    // The primary has given a slot away: Redis has ended the subscriptions in it, and does not say which.
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
