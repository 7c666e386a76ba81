/**
 * Delivers what the outboxes of tenants have, at one worker. A tenant is visited when a hint or a look says that it may
 * have something, and again after each of its deliveries, until nothing is left that can be sent now. All that is kept
 * here is in Redis, too: another worker goes on where one has died.
 */
import { randomUUID } from 'node:crypto';
import { Outage } from '../domain/outage.ts';
import { dropCursor, moveSlowest, startCursor } from '../engine/notices/cursors.ts';
import { type OutboxState, outboxState } from '../engine/notices/outboxState.ts';
import { type DeliveryDeps, deliver } from './delivery.ts';
import { Lane, Lanes } from './lanes.ts';
import type { Reader } from './sending.ts';

/** Maximum number of requests of a tenant in flight at this worker. takeBatch() bounds them over all workers. */
const MAX_IN_FLIGHT = 4;
/** Number of tenants that are visited at the same time. */
const VISITS_AT_ONCE = 50;
/** Time for which the readers of a tenant are kept, in ms. */
const KEPT_MS = 1000;
/** A pause that is longer ends at a look, in ms. */
const LONGEST_TIMER_MS = 5000;
/** When the worker closes, requests in flight have this time to be answered, in ms. */
const CLOSE_WITHIN_MS = 2000;

export interface DeliveriesDeps extends DeliveryDeps {
  /** Returns the readers of a tenant's outbox; null: it gets no deliveries now. */
  readonly readersOf: (tenant: string) => Promise<readonly Reader[] | null>;
}

interface Visited {
  readonly inFlight: Map<string, Promise<void>>;
  isRunning: boolean;
  /** True if it has to be visited again after this visit. */
  isWoken: boolean;
  timer: NodeJS.Timeout | undefined;
  kept: { readonly readers: readonly Reader[]; readonly version: string; readonly untilMs: number } | null;
  /** The place in the list of readers at which the next visit begins, so that each has its turn. */
  turn: number;
}

export class Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #owner = randomUUID();
  readonly #lanes = new Lanes();
  readonly #visits = new Lane(VISITS_AT_ONCE);
  readonly #closing = new AbortController();
  readonly #tenants = new Map<string, Visited>();
  readonly #outage: Outage;
  #isClosed = false;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
    this.#outage = new Outage(deps.log, 'notices cannot be delivered: they wait', 'notices are delivered again');
  }

  /** Visits a tenant now, or again after the visit in progress. */
  readonly wake = (tenant: string): void => {
    if (this.#isClosed) return;
    const visited = this.#tenants.get(tenant) ?? newVisited();
    this.#tenants.set(tenant, visited);
    visited.isWoken = true;
    if (!visited.isRunning) void this.#run(tenant, visited);
  };

  /** Starts no deliveries any more. Leaves those in flight to other workers if they take long. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#tenants.values()) clearTimeout(timer);
    const abort = setTimeout(() => this.#closing.abort(), CLOSE_WITHIN_MS);
    await Promise.all([...this.#tenants.values()].flatMap(({ inFlight }) => [...inFlight.values()]));
    clearTimeout(abort);
  }

  async #run(tenant: string, visited: Visited): Promise<void> {
    visited.isRunning = true;
    while (visited.isWoken && !this.#isClosed) {
      visited.isWoken = false;
      const beganAt = performance.now();
      try {
        await this.#visits.run(() => this.#visit(tenant, visited));
        this.#outage.worked(beganAt);
      } catch (error) {
        // A look visits it again.
        this.#outage.failed(error);
      }
    }
    visited.isRunning = false;
    if (visited.inFlight.size === 0 && visited.timer === undefined) this.#tenants.delete(tenant);
  }

  async #visit(tenant: string, visited: Visited): Promise<void> {
    const { redis } = this.#deps;
    const state = await outboxState(redis, tenant);
    if (state.mayBeFull) await moveSlowest(redis, tenant);
    if (!isDue(state)) return;
    const readers = (await this.#readers(tenant, visited, state)) ?? [];
    let nextInMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < readers.length; i++) {
      const reader = readers[(visited.turn + i) % readers.length];
      const cursor = reader && state.cursors.get(reader.id);
      if (reader === undefined || cursor === undefined || !cursor.isBehind) continue;
      if (visited.inFlight.has(reader.id)) continue;
      if (cursor.waitMs > 0) nextInMs = Math.min(nextInMs, cursor.waitMs);
      else if (visited.inFlight.size < MAX_IN_FLIGHT) this.#start(tenant, visited, reader, state.version);
    }
    visited.turn++;
    this.#wakeAfter(tenant, visited, nextInMs);
  }

  #start(tenant: string, visited: Visited, reader: Reader, version: string): void {
    const { id } = reader;
    let hasWorked = false;
    const delivery = this.#lanes
      .run(id, async () => {
        if (!this.#isClosed) hasWorked = await deliver(this.#deps, reader, version, this.#owner, this.#closing.signal);
      })
      .catch((error: unknown) => this.#outage.failed(error))
      .finally(() => {
        visited.inFlight.delete(id);
        // After a failure of this service a look goes on.
        if (hasWorked) this.wake(tenant);
      });
    visited.inFlight.set(id, delivery);
  }

  #wakeAfter(tenant: string, visited: Visited, waitMs: number): void {
    clearTimeout(visited.timer);
    visited.timer = undefined;
    if (waitMs > LONGEST_TIMER_MS || this.#isClosed) return;
    visited.timer = setTimeout(() => {
      visited.timer = undefined;
      this.wake(tenant);
    }, waitMs);
  }

  /** Returns the readers of a tenant. When they are read anew, their cursors are put in order. */
  async #readers(
    tenant: string,
    visited: Visited,
    { cursors, version }: OutboxState,
  ): Promise<readonly Reader[] | null> {
    const { kept } = visited;
    const isFresh = kept?.version === version && performance.now() < kept.untilMs;
    if (isFresh && kept.readers.length === cursors.size) return kept.readers;
    const readers = await this.#deps.readersOf(tenant);
    if (readers === null) return null;
    visited.kept = { readers, version, untilMs: performance.now() + KEPT_MS };
    const { redis } = this.#deps;
    for (const { id } of readers) {
      if (cursors.has(id)) continue;
      // Redis has lost it.
      await startCursor(redis, tenant, id, 'start', true);
      visited.isWoken = true;
    }
    const known = new Set(readers.map(({ id }) => id));
    // They were stopped since.
    for (const id of cursors.keys()) if (!known.has(id)) await dropCursor(redis, tenant, id);
    return readers;
  }
}

/** Returns true if a reader may get something, now or after a pause. */
export const isDue = ({ entries, cursors }: OutboxState): boolean =>
  [...cursors.values()].some(({ isBehind }) => isBehind) || (entries > 0 && cursors.size === 0);

const newVisited = (): Visited => ({
  inFlight: new Map(),
  isRunning: false,
  isWoken: false,
  timer: undefined,
  kept: null,
  turn: 0,
});
