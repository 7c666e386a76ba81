/**
 * A live copy of all reservations: it opens a stream of events, reads all reservations, and applies the events that
 * came meanwhile and that come from then on. When the stream was lost, it does so again.
 */
import { ENDLESS } from '../durations.ts';
import { invalid, refuseUnknown } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { ActiveReservation, HoldfastEvent, WaitingRequest } from '../types.ts';
import { type MirroredReservation, Reservations } from './reservations.ts';
import { stream } from './stream.ts';
import { Waits } from './waits.ts';

export interface MirrorOptions {
  /** Ends the mirror. It keeps its last state. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each change with the reservations of a resource, none if it is free. Not called for what
   * is held at the start.
   */
  readonly onChange?: ((resource: string, reservations: readonly MirroredReservation[]) => void) | undefined;
  /** Called each time `connected` changes, after the mirror was opened. */
  readonly onConnection?: ((connected: boolean) => void) | undefined;
  /** Follows who waits, too: `mirror.waiting`. Costs a read after each change of the queue, at most one a second. */
  readonly waiting?: boolean | undefined;
}

/** Events that are kept while the reservations are read. If there are more, reading begins anew, without them. */
const MAX_EARLY = 20_000;

/** Made by `holdfast.mirror()`. */
export class LiveMirror {
  /** Resolves when the signal has aborted. Rejects if the service refuses the key, or a function of yours throws. */
  readonly closed: Promise<void>;
  readonly #api: Api;
  readonly #options: MirrorOptions;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #held = new Reservations();
  /** The events that have come since the reservations were asked for; undefined once they are there. */
  #early: HoldfastEvent[] | undefined = [];
  #waits: Waits | undefined;
  #waiting: readonly WaitingRequest[] = [];
  #loading = new AbortController();
  #isReady = false;
  #wasConnected = true;

  /** @param onReady called when everything that is held is in the mirror for the first time */
  constructor(api: Api, options: MirrorOptions, onReady: () => void) {
    this.#api = api;
    this.#options = options;
    this.closed = this.#run(options.signal, onReady);
    // A user need not look at it.
    this.closed.catch(() => {});
  }

  /** True if the mirror follows the service; false after a lost connection, until everything has been read again. */
  get connected(): boolean {
    return this.#early === undefined;
  }

  /** Number of resources that are held. */
  get size(): number {
    return this.#held.size;
  }

  /** Who waits, in the order of the queue: the same array until it changes. */
  get waiting(): readonly WaitingRequest[] {
    if (this.#options.waiting) return this.#waiting;
    throw invalid('waiting: open the mirror with { waiting: true }');
  }

  /**
   * Calls a function after each change of what the mirror has, or of `connected`.
   * @returns a function that ends this
   */
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  /**
   * The reservations of a resource: several of a pool, or if it is held SHARED. The same array until they change.
   * @param resource as it was reserved: a slot that was reserved by the name of its pool is found by that
   */
  get(resource: string): readonly MirroredReservation[] {
    return this.#held.get(resource);
  }

  *entries(): Generator<[resource: string, reservations: readonly MirroredReservation[]], void, undefined> {
    for (const resource of this.#held.resources()) yield [resource, this.get(resource)];
  }

  async #run(signal: AbortSignal | undefined, onReady: () => void): Promise<void> {
    const stop = () => this.#stop.abort(signal?.reason);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
      for await (const event of stream(this.#api, this.#stop.signal)) {
        if (event.type === 'CONNECTED') void this.#load(onReady);
        else if (event.type === 'DISCONNECTED') this.#disconnected();
        else if (this.#early === undefined) this.#apply(event);
        else if (this.#early.push(event) > MAX_EARLY) void this.#load(onReady);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#disconnected();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Reads everything that is held. What came before this begins need not be applied. */
  async #load(onReady: () => void): Promise<void> {
    const early = this.#forgetEarly();
    const { signal } = this.#loading;
    const waits = this.#options.waiting ? new Waits(this.#api, signal) : undefined;
    this.#waits = waits;
    await this.#orFail(signal, async () => {
      const path = '/Reservation/activeReservations';
      const held = this.#api.request<ActiveReservation[]>({ method: 'GET', path, signal, deadline: ENDLESS });
      const [{ result }, waiting] = await Promise.all([held, waits?.read()]);
      if (signal.aborted) return;
      const before = this.#held;
      this.#held = new Reservations(result);
      for (const event of early) this.#held.apply(event);
      this.#early = undefined;
      const changed = this.#held.replace(before);
      if (waiting !== undefined) this.#setWaiting(waiting);
      if (this.#isReady) this.#tell(changed);
      this.#isReady = true;
      this.#connection();
      onReady();
      for (const event of early) this.#applyToWaits(event);
    });
  }

  /** Does something of a connection. If it fails, so does the mirror, unless the connection was lost. */
  async #orFail(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = { error };
      this.#stop.abort();
    }
  }

  #apply(event: HoldfastEvent): void {
    this.#tell(this.#held.apply(event));
    this.#applyToWaits(event);
  }

  #applyToWaits(event: HoldfastEvent): void {
    const { signal } = this.#loading;
    const onRead = (rows: readonly WaitingRequest[]) => {
      if (!signal.aborted && this.#setWaiting(rows)) this.#notify();
    };
    const reading = this.#waits?.apply(event, onRead);
    if (reading !== undefined) void this.#orFail(signal, () => reading);
  }

  /** @returns whether it has changed */
  #setWaiting(rows: readonly WaitingRequest[]): boolean {
    if (JSON.stringify(rows) === JSON.stringify(this.#waiting)) return false;
    this.#waiting = rows;
    return true;
  }

  #disconnected(): void {
    this.#forgetEarly();
    this.#connection();
  }

  /** Tells if the connection has changed. */
  #connection(): void {
    const { connected } = this;
    if (!this.#isReady || connected === this.#wasConnected) return;
    this.#wasConnected = connected;
    this.#options.onConnection?.(connected);
    this.#notify();
  }

  /** @returns where events are kept from now on */
  #forgetEarly(): HoldfastEvent[] {
    this.#loading.abort();
    this.#loading = new AbortController();
    this.#early = [];
    return this.#early;
  }

  #tell(resources: readonly string[]): void {
    for (const resource of resources) this.#options.onChange?.(resource, this.get(resource));
    if (resources.length > 0) this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The result of `mirror`. In tests, any object with these members is one. */
export interface Mirror extends Pick<LiveMirror, keyof LiveMirror> {}

/**
 * @returns when everything that is held is in it
 * @throws HoldfastError as events(); the reason of the signal
 */
export async function openMirror(api: Api, options: MirrorOptions = {}): Promise<Mirror> {
  refuseUnknown(options, 'signal', 'onChange', 'onConnection', 'waiting');
  let onReady = () => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const opened = new LiveMirror(api, options, onReady);
  await Promise.race([ready, opened.closed]);
  options.signal?.throwIfAborted();
  return opened;
}
