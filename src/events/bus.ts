/**
 * Receives messages that scripts publish on the channels of tenants. It keeps one connection to each primary that
 * publishes on them. Messages may be missed while a connection is lost, so the loss of a connection is reported.
 */
import type { Redis } from 'ioredis';
import type { Subscriptions } from '../redis/client.ts';
import { send } from '../redis/send.ts';

/** Interval of PINGs, which detect silent connections, in ms. The reply to a PING has the timeout of any command. */
const PING_EVERY_MS = 1000;

export interface ChannelListener {
  onMessage(payload: Buffer): void;
  /** Called when the connection for the channel was lost: recent messages may be missing, and no more will come. */
  onLost(): void;
}

interface Subscribed {
  /** The connection on which the channel is subscribed, or is being subscribed. */
  readonly connection: Redis;
  readonly listener: ChannelListener;
}

/** Compares the names of channels in a loop: a call of equals() takes longer. */
function isSame(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

export class Bus {
  readonly #subscriptions: Subscriptions;
  readonly #heartbeat: NodeJS.Timeout;
  /** Address of the primary → connection. */
  readonly #connections = new Map<string, Redis>();
  readonly #channels = new Map<string, Subscribed>();

  constructor(subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions;
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections.values()) connection.ping().catch(() => {});
    }, PING_EVERY_MS);
  }

  /**
   * Subscribes a channel. A channel has one listener, the last.
   * @throws HoldfastError unavailable
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    await send(async () => {
      const known = this.#channels.get(channel)?.connection;
      const connection = known ?? this.#connection(await this.#subscriptions.primaryOf(channel));
      this.#channels.set(channel, { connection, listener });
      // A replica accepts subscriptions too, but may miss messages of its primary.
      const [[role]] = await Promise.all([connection.role(), connection.ssubscribe(channel)]);
      if (String(role) === 'master') return;
      this.#lose(connection);
      throw new Error('READONLY subscribed at a replica');
    });
  }

  async unsubscribe(channel: string): Promise<void> {
    const subscribed = this.#channels.get(channel);
    this.#channels.delete(channel);
    await subscribed?.connection.sunsubscribe(channel);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const connection of this.#connections.values()) connection.disconnect();
  }

  #connection(address: string): Redis {
    const existing = this.#connections.get(address);
    if (existing !== undefined) return existing;
    const connection = this.#subscriptions.connect(address);
    // Most messages are of the channel of the one before: its name is compared, and not decoded.
    let [name, bytes] = ['', Buffer.alloc(0)];
    connection.on('smessageBuffer', (channel: Buffer, payload: Buffer) => {
      if (!isSame(channel, bytes)) [name, bytes] = [channel.toString(), Buffer.from(channel)];
      this.#channels.get(name)?.listener.onMessage(payload);
    });
    connection.on('end', () => this.#lose(connection));
    // The primary has given a slot away: Redis has ended the subscriptions in it, and does not say which.
    connection.on('moved', () => this.#lose(connection));
    this.#connections.set(address, connection);
    return connection;
  }

  #lose(lost: Redis): void {
    for (const [address, connection] of this.#connections) if (connection === lost) this.#connections.delete(address);
    const channels = [...this.#channels].filter(([, { connection }]) => connection === lost);
    for (const [channel] of channels) this.#channels.delete(channel);
    lost.disconnect();
    for (const [, { listener }] of channels) listener.onLost();
  }
}
