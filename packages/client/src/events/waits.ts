/**
 * Who waits, in the order of the queue. Events say that the queue has changed, but not its order: so it is read again
 * after each of them, at most once a second.
 */
import { ENDLESS } from '../durations.ts';
import type { Api } from '../http/api.ts';
import { pause } from '../http/retries.ts';
import type { HoldfastEvent, WaitingRequest } from '../types.ts';

const READ_EVERY_MS = 1000;
const CHANGES: ReadonlySet<string> = new Set<HoldfastEvent['type']>(['WAITING', 'WAIT_ENDED', 'RESET']);

export class Waits {
  readonly #api: Api;
  readonly #signal: AbortSignal;
  #isStale = false;
  #isReading = false;

  /** @param signal ends it */
  constructor(api: Api, signal: AbortSignal) {
    this.#api = api;
    this.#signal = signal;
  }

  async read(): Promise<WaitingRequest[]> {
    const request = { method: 'GET', path: '/Reservation/waiting', signal: this.#signal, deadline: ENDLESS } as const;
    return (await this.#api.request<WaitingRequest[]>(request)).result;
  }

  /**
   * Reads the queue again if an event has changed it. Several events that come meanwhile are one change.
   * @param onRead called with who waits now
   * @returns rejects with a HoldfastError, or the reason of the signal; undefined if there is nothing new to read
   */
  apply({ type }: HoldfastEvent, onRead: (rows: readonly WaitingRequest[]) => void): Promise<void> | undefined {
    this.#isStale ||= CHANGES.has(type);
    return this.#isStale && !this.#isReading ? this.#readAgain(onRead) : undefined;
  }

  async #readAgain(onRead: (rows: readonly WaitingRequest[]) => void): Promise<void> {
    this.#isReading = true;
    while (this.#isStale && !this.#signal.aborted) {
      this.#isStale = false;
      onRead(await this.read());
      await pause(READ_EVERY_MS, this.#signal);
    }
    this.#isReading = false;
  }
}
