/**
 * A live copy of what is held: it opens a stream of events, reads all reservations, and applies the events that came
 * meanwhile and that come from then on. When the stream was lost, it does so again.
 */
import type { Api } from '../http/api.ts';
import type { ActiveReservation, HoldfastEvent } from '../types.ts';
import { type MirroredReservation, Reservations } from './reservations.ts';
import { stream } from './stream.ts';

export interface MirrorOptions {
  /** Ends the mirror. It keeps its last state. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each change with what is now held of a resource: nothing, if the array is empty. Not called for what
   * is held at the start.
   */
  readonly onChange?: ((resource: string, reservations: readonly MirroredReservation[]) => void) | undefined;
}

/** Events that are kept while the reservations are read. If there are more, reading begins anew, without them. */
const MAX_EARLY = 20_000;

/** Made by `holdfast.mirror()`. */
export class Mirror {
  /** Resolves when the signal has aborted. Rejects if the service refuses the key, or `onChange` throws. */
  readonly closed: Promise<void>;
  readonly #api: Api;
  readonly #onChange: MirrorOptions['onChange'];
  readonly #stop = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #held = new Reservations();
  /** The events that have come since the reservations were asked for; undefined once they are there. */
  #early: HoldfastEvent[] | undefined = [];
  #loading = new AbortController();
  #isReady = false;

  /** @param onReady called when everything that is held is in the mirror for the first time */
  constructor(api: Api, { signal, onChange }: MirrorOptions, onReady: () => void) {
    this.#api = api;
    this.#onChange = onChange;
    this.closed = this.#run(signal, onReady);
    // A user need not look at it.
    this.closed.catch(() => {});
  }

  /** Whether the mirror follows the service. False after a lost connection, until everything has been read again. */
  get connected(): boolean {
    return this.#early === undefined;
  }

  /** Number of resources that are held. */
  get size(): number {
    return this.#held.size;
  }

  /**
   * The reservations of a resource: several of a pool, or if it is held SHARED.
   * @param resource as it was reserved: a slot that was reserved by the name of its pool is found by that
   */
  get(resource: string): readonly MirroredReservation[] {
    return this.#held.get(resource);
  }

  *entries(): Generator<[resource: string, reservations: readonly MirroredReservation[]], void, undefined> {
    for (const resource of this.#held.resources()) yield [resource, this.get(resource)];
  }

  async #run(signal: AbortSignal | undefined, onReady: () => void): Promise<void> {
    const stop = () => this.#stop.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
      for await (const event of stream(this.#api, this.#stop.signal)) {
        if (event.type === 'CONNECTED') void this.#load(onReady);
        else if (event.type === 'DISCONNECTED') this.#forgetEarly();
        else if (this.#early === undefined) this.#tell(this.#held.apply(event));
        else if (this.#early.push(event) > MAX_EARLY) void this.#load(onReady);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#forgetEarly();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Reads everything that is held. What came before this begins need not be applied. */
  async #load(onReady: () => void): Promise<void> {
    const early = this.#forgetEarly();
    const { signal } = this.#loading;
    try {
      const { result } = await this.#api.request<ActiveReservation[]>({
        method: 'GET',
        path: '/Reservation/activeReservations',
        signal,
        deadline: Number.POSITIVE_INFINITY,
      });
      if (signal.aborted) return;
      const before = this.#held;
      this.#held = new Reservations(result);
      for (const event of early) this.#held.apply(event);
      this.#early = undefined;
      if (this.#isReady) this.#tell(this.#held.differences(before));
      this.#isReady = true;
      onReady();
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = { error };
      this.#stop.abort();
    }
  }

  /** @returns where events are kept from now on */
  #forgetEarly(): HoldfastEvent[] {
    this.#loading.abort();
    this.#loading = new AbortController();
    this.#early = [];
    return this.#early;
  }

  #tell(resources: readonly string[]): void {
    for (const resource of resources) this.#onChange?.(resource, this.get(resource));
  }
}

/**
 * @returns when everything that is held is in it
 * @throws HoldfastError as events(); the reason of the signal
 */
export async function openMirror(api: Api, options: MirrorOptions = {}): Promise<Mirror> {
  let onReady = () => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const opened = new Mirror(api, options, onReady);
  await Promise.race([ready, opened.closed]);
  options.signal?.throwIfAborted();
  return opened;
}
