/** A Holdfast in memory, for unit tests. */
import { Client } from '../client.ts';
import { type Duration, msOf } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import type { Plan } from '../holds/plan.ts';
import { Requesters } from '../holds/requesters.ts';
import { type Held, type Owner, Reserver } from '../holds/reserver.ts';
import { FakeClock, settled } from './clock.ts';
import { FakeService } from './service.ts';

/** Remembers the reservations that it made, so that a lease can be lost. */
class FakeReserver extends Reserver {
  readonly made = new Set<Held>();

  override async take(plan: Plan, session?: Owner): Promise<Held> {
    const held = await super.take(plan, session);
    this.made.add(held);
    return held;
  }
}

/** Made by `fakeHoldfast()`. It is a client with a service of its own, in memory. */
export class FakeHoldfast extends Client {
  readonly #clock: FakeClock;
  readonly #service: FakeService;
  readonly #reserver: FakeReserver;

  constructor() {
    const clock = new FakeClock();
    const service = new FakeService(clock);
    const requesters = new Requesters(undefined, clock);
    const reserver = new FakeReserver(service, requesters, clock);
    super(service, requesters, reserver);
    this.#clock = clock;
    this.#service = service;
    this.#reserver = reserver;
  }

  /** Lets time pass: leases are renewed, or end, and waits end. */
  async advance(time: Duration): Promise<void> {
    await this.#clock.advance(msOf(time, 'time'));
  }

  /**
   * Lets somebody else hold a resource, until the returned function is called.
   * @throws if it cannot be had
   */
  heldBy(name: string, requester: string, { note }: { readonly note?: string } = {}): () => void {
    const item = { resource: name, requester, ...(note !== undefined && { note }) };
    const got = this.#service.store.tryTake([item], requester);
    if ('status' in got) throw new Error(`${requester} cannot have ${name}: ${got.explanation}`);
    return () => {
      for (const row of got) this.#service.store.release(row);
    };
  }

  /**
   * Ends the lease of a hold, as if it had not been renewed in time: its signal aborts with LEASE_LOST, and others can
   * have the resource. For a hold of a session, this is the lease of the session. Calls that were made before this one
   * are carried out first.
   * @throws if this client does not hold it
   */
  async loseLease(name: string): Promise<void> {
    await settled();
    const rows = this.#service.store.holders(name);
    const tokens = new Set(rows.map(({ releaseToken }) => releaseToken));
    const lost = [...this.#reserver.made].filter(({ hold }) =>
      hold.reservations.some(({ releaseToken }) => tokens.has(releaseToken)),
    );
    if (lost.length === 0) throw new Error(`This client does not hold ${name}`);
    for (const held of lost) {
      this.#reserver.made.delete(held);
      held.lease.lose(new HoldfastError('LEASE_LOST', `The lease of ${name} was not renewed in time`));
      for (const { releaseToken } of held.hold.reservations) this.#service.endLease(releaseToken);
    }
  }
}

/** Makes a Holdfast in memory, of which nothing is held. */
export const fakeHoldfast = (): FakeHoldfast => new FakeHoldfast();
