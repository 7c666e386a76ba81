/**
 * All event streams of this instance (docs/specification.md#the-stream). Opens and ends them, sends keepalives, renews
 * their leases, and sends each stream the events of its tenant, once an iteration of the event loop.
 */
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { pace } from '../engine/pace.ts';
import { closeStreams, openStream, RENEW_EVERY_MS, renewStreams } from '../engine/tenant/streamLeases.ts';
import { eventsChannel } from '../redis/keys.ts';
import type { Bus } from './bus.ts';
import { readMessages } from './message.ts';
import { type EndReason, Stream } from './stream.ts';

const KEEPALIVE_EVERY_MS = 15_000;
const KEEPALIVE = Buffer.from(': keepalive\n\n');

/** Time that a message may take to arrive, in ms. A stream that lags behind for longer has missed it. */
const MAX_DELAY_MS = RENEW_EVERY_MS / 2;

/** Renewals that may fail in a row while Redis is unreachable. After more of them, a lease may have lapsed. */
const MAX_FAILED_RENEWALS = 2;

/** The streams of one tenant. */
interface Audience {
  /** Id → open stream, with its lease. */
  readonly streams: Map<string, Stream>;
  /** Number of streams that are being opened. */
  opening: number;
  /** Messages received in this iteration of the event loop. */
  received: Buffer[];
  /** The number of the last message that an earlier renewal returned, and the time of that renewal. */
  reported: { readonly lastMessage: number; readonly at: number };
  failedRenewals: number;
}

/** Called for metrics. */
export interface StreamsObserver {
  /** Events were sent. An event that goes to two streams counts twice. */
  delivered(events: number): void;
  ended(reason: EndReason): void;
}

export class Streams {
  readonly #engine: Engine;
  readonly #log: Logger;
  readonly #observer: StreamsObserver | null;
  readonly #bus: Bus;
  readonly #audiences = new Map<string, Audience>();
  readonly #timers: NodeJS.Timeout[];
  readonly #closing = new AbortController();
  /** Number of lost connections. A stream that was opening during a loss may have missed events. */
  #losses = 0;
  #leaving = false;

  constructor(engine: Engine, bus: Bus, log: Logger, observer: StreamsObserver | null = null) {
    this.#engine = engine;
    this.#log = log;
    this.#observer = observer;
    this.#bus = bus;
    this.#timers = [
      setInterval(() => this.#each((stream) => stream.write(KEEPALIVE)), KEEPALIVE_EVERY_MS),
      setInterval(() => void this.#renewAll(), RENEW_EVERY_MS),
    ];
  }

  /** Number of open streams. */
  get size(): number {
    let size = 0;
    for (const { streams } of this.#audiences.values()) size += streams.size;
    return size;
  }

  /**
   * Opens a stream on a response that has not begun. After its first byte, the stream misses no event.
   * @param headers headers to send besides the stream's own
   * @throws HoldfastError unauthenticated, unavailable; LimitError if the tenant has as many streams as its tier allows
   */
  async open(
    response: ServerResponse,
    credential: Credential,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (this.#leaving) throw new HoldfastError('unavailable', 'This instance is leaving. Connect again.');
    const { tenant } = credential;
    const stream = new Stream(response, credential, (one) => this.#closed(one));
    const losses = this.#losses;
    const audience = this.#audiences.get(tenant) ?? {
      streams: new Map(),
      opening: 0,
      received: [],
      reported: { lastMessage: 0, at: performance.now() },
      failedRenewals: 0,
    };
    this.#audiences.set(tenant, audience);
    audience.opening++;
    try {
      await this.#bus.subscribe(eventsChannel(tenant), {
        onMessage: (payload) => this.#receive(tenant, payload),
        onLost: () => this.#lose(tenant),
      });
      const { endsInMs, lastMessage, publisher } = await openStream(this.#engine, credential, stream.id);
      if (losses !== this.#losses || this.#leaving) {
        void this.#releaseLeases(tenant, [stream.id]);
        throw new HoldfastError('unavailable', 'The connection to the reservation store was lost. Connect again.');
      }
      if (stream.isGone) {
        void this.#releaseLeases(tenant, [stream.id]);
        return;
      }
      audience.streams.set(stream.id, stream);
      stream.start(headers, lastMessage, publisher);
      if (endsInMs !== null) stream.endIn(endsInMs);
    } finally {
      audience.opening--;
      this.#forgetIfEmpty(tenant);
    }
  }

  /** Ends all streams, so that their readers reconnect to another instance. From now on, open() throws. */
  leave(): void {
    this.#leaving = true;
    this.#each((stream) => stream.end('instance_leaving'));
  }

  /** Stops timers. Call it when all streams have ended. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort();
  }

  /** @param payload a message of events (message.ts); empty: check the credentials of the tenant's streams */
  #receive(tenant: string, payload: Buffer): void {
    const audience = this.#audiences.get(tenant);
    if (audience === undefined) return;
    if (payload.length === 0) {
      void this.#renew(tenant);
      return;
    }
    if (audience.received.push(payload) > 1) return;
    setImmediate(() => {
      const batch = readMessages(tenant, audience.received);
      audience.received = [];
      let delivered = 0;
      for (const stream of audience.streams.values()) delivered += stream.deliver(batch);
      this.#observer?.delivered(delivered);
    });
  }

  #lose(tenant: string): void {
    this.#losses++;
    for (const stream of this.#audiences.get(tenant)?.streams.values() ?? []) stream.end('redis_lost');
  }

  #closed(stream: Stream): void {
    const { tenant } = stream.credential;
    if (this.#audiences.get(tenant)?.streams.delete(stream.id) !== true) return;
    this.#observer?.ended(stream.endReason);
    this.#forgetIfEmpty(tenant);
    void this.#releaseLeases(tenant, [stream.id]);
  }

  #forgetIfEmpty(tenant: string): void {
    const audience = this.#audiences.get(tenant);
    if (audience === undefined || audience.streams.size > 0 || audience.opening > 0) return;
    this.#audiences.delete(tenant);
    // Commands on a connection keep their order, so a stream that opens from now on subscribes after this.
    this.#bus
      .unsubscribe(eventsChannel(tenant))
      .catch((err: unknown) => this.#log.debug({ err }, 'unsubscribing failed'));
  }

  /** Releases the leases of streams. If that fails, the leases expire. */
  async #releaseLeases(tenant: string, ids: readonly string[]): Promise<void> {
    await closeStreams(this.#engine, tenant, ids).catch((err: unknown) =>
      this.#log.debug({ err }, 'releasing the leases of streams failed'),
    );
  }

  /** Starts to renew the leases of all streams, a piece of the tenants at a time. */
  async #renewAll(): Promise<void> {
    const renew = (tenants: readonly string[]) => Promise.all(tenants.map((tenant) => this.#renew(tenant)));
    await pace([...this.#audiences.keys()], renew, this.#closing.signal);
  }

  async #renew(tenant: string): Promise<void> {
    const audience = this.#audiences.get(tenant);
    if (audience === undefined || audience.streams.size === 0) return;
    const byCredential = new Map<string, { readonly credential: Credential; readonly ids: string[] }>();
    for (const { id, credential } of audience.streams.values()) {
      const { ids } = byCredential.get(credential.credentialKey) ?? { ids: [] };
      byCredential.set(credential.credentialKey, { credential, ids: [...ids, id] });
    }
    try {
      const ended: string[] = [];
      let lastMessage = 0;
      for (const { credential, ids } of byCredential.values()) {
        const renewed = await renewStreams(this.#engine, credential, ids);
        ended.push(...renewed.ended);
        lastMessage = renewed.lastMessage;
      }
      audience.failedRenewals = 0;
      for (const id of ended) audience.streams.get(id)?.end('credential_ended');
      const { reported } = audience;
      if (performance.now() - reported.at < MAX_DELAY_MS) return;
      // A new primary that lacks the last messages counts on from a lower number.
      const behind = Math.min(reported.lastMessage, lastMessage);
      for (const stream of audience.streams.values()) if (stream.last < behind) stream.end('redis_lost');
      audience.reported = { lastMessage, at: performance.now() };
    } catch (err) {
      this.#log.warn({ err, tenant }, 'renewing the leases of streams failed');
      if (++audience.failedRenewals > MAX_FAILED_RENEWALS)
        for (const stream of audience.streams.values()) stream.end('redis_lost');
    }
  }

  #each(act: (stream: Stream) => void): void {
    for (const { streams } of this.#audiences.values()) for (const stream of streams.values()) act(stream);
  }
}
