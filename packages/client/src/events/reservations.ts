/** Reservations, kept up to date by events. No I/O. */
import type { ActiveReservation, HoldfastEvent } from '../types.ts';

/** A reservation in a mirror: the fields of `activeReservations` that events carry. */
export interface MirroredReservation {
  /** As it was reserved. */
  readonly resource: string;
  readonly requester: string;
  readonly reservedAt: string;
  /** When the lease ends. Null: never. */
  readonly expiresAt: string | null;
  /** The slot that it has of each pool. */
  readonly acquiredSlots: Readonly<Record<string, string>> | null;
  readonly fencingToken: number;
  /** Its slots of the pool, if it has several. */
  readonly slots?: readonly string[];
  /** Only if it is held together with others. */
  readonly mode?: 'SHARED';
  readonly note?: string;
}

type Change = NonNullable<HoldfastEvent['changes']>[number];

export class Reservations {
  /** Resource as requested → requester → reservation. A requester has at most one of a resource. */
  readonly #byResource = new Map<string, Map<string, MirroredReservation>>();
  /** The last result of `get`, which it returns again until it changes. */
  readonly #arrays = new Map<string, readonly MirroredReservation[]>();

  constructor(rows: readonly ActiveReservation[] = []) {
    for (const row of rows) this.#set(mirrored(row, row.reservedAt));
  }

  get size(): number {
    return this.#byResource.size;
  }

  /** @returns the same array until it changes */
  get(resource: string): readonly MirroredReservation[] {
    const of = this.#byResource.get(resource);
    if (of === undefined) return NONE;
    const array = this.#arrays.get(resource) ?? [...of.values()];
    this.#arrays.set(resource, array);
    return array;
  }

  resources(): IterableIterator<string> {
    return this.#byResource.keys();
  }

  /**
   * Events that came before the rows of the constructor were read may be applied, too: the last ones decide.
   * @returns the resources whose reservations have changed
   */
  apply(event: HoldfastEvent): readonly string[] {
    const { type, resource, requester, timestamp } = event;
    if (type === 'RESET') {
      const all = [...this.#byResource.keys()];
      this.#byResource.clear();
      this.#arrays.clear();
      return all;
    }
    if (type === 'TRANSACTION_APPLIED')
      return (event.changes ?? []).flatMap((change) => this.#change(change, timestamp));
    if (resource === null || requester === null) return [];
    if (type === 'RESERVED') return this.#set(mirrored({ ...event, resource, requester }, timestamp));
    if (type === 'UNRESERVED') return this.#delete(resource, requester);
    if (type !== 'RENEWED') return [];
    const known = this.#byResource.get(resource)?.get(requester);
    // Otherwise the event is older than the rows.
    if (known?.fencingToken !== event.fencingToken) return [];
    return this.#set({ ...known, expiresAt: event.expiresAt });
  }

  /**
   * Replaces all that was known before.
   * @returns the resources whose reservations have changed. The others keep their arrays.
   */
  replace(before: Reservations): readonly string[] {
    const names = [...new Set([...this.#byResource.keys(), ...before.#byResource.keys()])];
    return names.filter((name) => {
      if (this.#stateOf(name) !== before.#stateOf(name)) return true;
      this.#arrays.set(name, before.get(name));
      return false;
    });
  }

  /** A fencing token stands for a reservation, and only the end of its lease ever changes. */
  #stateOf(resource: string): string {
    const states = this.get(resource).map(({ fencingToken, expiresAt }) => `${fencingToken} ${expiresAt}`);
    return states.sort().join();
  }

  #change(change: Change, timestamp: string): readonly string[] {
    const { resource, requester, explanation } = change;
    if (explanation === 'ACQUIRED') return this.#set(mirrored(change, timestamp));
    if (explanation !== 'RELINQUISHED') return [];
    return this.#delete(this.#nameOf(resource, requester), requester);
  }

  /** The name of a reservation that was released by another name: a slot, or a path. */
  #nameOf(released: string, requester: string): string {
    if (this.#byResource.get(released)?.has(requester)) return released;
    const slot = lastSegment(released);
    for (const [resource, of] of this.#byResource) {
      const own = lastSegment(resource);
      const { slots, acquiredSlots } = of.get(requester) ?? {};
      if (of.has(requester) && (own === slot || slots?.includes(slot) || acquiredSlots?.[own] === slot))
        return resource;
    }
    return released;
  }

  #set(reservation: MirroredReservation): readonly string[] {
    const { resource, requester } = reservation;
    const of = this.#byResource.get(resource) ?? new Map<string, MirroredReservation>();
    this.#byResource.set(resource, of.set(requester, reservation));
    this.#arrays.delete(resource);
    return [resource];
  }

  #delete(resource: string, requester: string): readonly string[] {
    const of = this.#byResource.get(resource);
    if (of?.delete(requester) !== true) return [];
    if (of.size === 0) this.#byResource.delete(resource);
    this.#arrays.delete(resource);
    return [resource];
  }
}

/** The same fields from a row, an event and a change of a transaction. */
function mirrored(
  row: Pick<MirroredReservation, 'resource' | 'requester' | 'slots' | 'note'> & {
    readonly expiresAt?: string | null | undefined;
    readonly acquiredSlots?: Readonly<Record<string, string>> | null | undefined;
    readonly fencingToken?: number | null | undefined;
    readonly mode?: 'EXCLUSIVE' | 'SHARED' | undefined;
  },
  reservedAt: string,
): MirroredReservation {
  const { resource, requester, expiresAt = null, acquiredSlots = null, fencingToken, slots, mode, note } = row;
  return {
    resource,
    requester,
    reservedAt,
    expiresAt,
    acquiredSlots,
    fencingToken: fencingToken ?? 0,
    ...(slots && { slots }),
    ...(mode === 'SHARED' && { mode }),
    ...(note !== undefined && { note }),
  };
}

const NONE: readonly MirroredReservation[] = [];

const lastSegment = (name: string): string => name.slice(name.lastIndexOf('>') + 1);
