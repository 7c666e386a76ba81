/**
 * The state of the model: definitions, reservations and the slots that they hold, and what a name means in it
 * (docs/specification.md#what-a-name-means). Everything is kept as sets of things, nothing is counted.
 */
import type { Definition } from '../../src/contract/definitions.ts';
import type { Attributes } from '../../src/domain/attributes.ts';
import type { AfterUse, Condition } from '../../src/domain/conditions.ts';
import type { Booking } from './booked.ts';

/** A registration, with its ancestors from the root down. */
export interface Registration {
  name: string;
  capacity: number;
  blocks: readonly string[];
  treePath: readonly string[];
  group?: boolean | undefined;
  labels?: Record<string, string> | undefined;
  groups?: boolean | undefined;
  afterUse?: AfterUse | undefined;
  attributes?: Attributes | undefined;
  slotAttributes?: readonly Attributes[] | undefined;
  bookable?: boolean | undefined;
}

export const toDefinition = ({
  blocks,
  treePath,
  slotAttributes,
  ...item
}: Registration): Definition & { groups?: boolean | undefined } => ({
  ...item,
  capacity: item.group === true ? null : item.capacity,
  blocks: [...blocks],
  treePath: treePath.join('>') || null,
  ...(slotAttributes && { slotAttributes: [...slotAttributes] }),
});

export interface Registered {
  /** 1 for a group. */
  capacity: number;
  isGroup?: boolean;
  labels?: Record<string, string>;
  afterUse?: AfterUse;
  attributes?: Attributes;
  slotAttributes?: readonly Attributes[];
  bookable?: boolean;
  blocks: string[];
  parent: string | null;
}

/** A slot that is taken. It is there as long as a reservation needs it. */
export interface Hold {
  slot: string;
  owner: string;
  /** The resource whose slot it was when it was taken. */
  of: string;
  /** It was asked for by its own name, or is another one of several: not the slot that its owner was assigned. */
  byName: boolean;
}

export interface Reservation {
  requestedName: string;
  requester: string;
  token: string | null;
  fence: number;
  reservedAt: number;
  expiresAt: number | null;
  /** The session that it lasts as long as; expiresAt is null then. */
  session?: string;
  /** The condition that it asked for; absent: ready. */
  condition?: Exclude<Condition, 'ready'>;
  /** Of a grant that nobody has claimed: how long its lease will be, in ms; absent: endless. */
  claimedMs?: number;
  /** The booking that it is. */
  booking?: Booking;
  /** The labels of the match that it was made by. */
  match?: string;
  own: Hold;
  /** In plan order. */
  others: Hold[];
  details: {
    acquiredSlots: Record<string, string> | null;
    acquiredBlockers: string[] | null;
    reservedAtPath: string | null;
    slots?: string[];
    mode?: 'SHARED';
  };
}

/** A session that has not ended (docs/specification.md#sessions). */
export interface Session {
  requester: string;
  token: string;
  ttlSeconds: number;
  createdAt: number;
  expiresAt: number;
}

/** The fields of a result without a reservation. */
export const nothingHad = {
  releaseToken: null,
  expiresAt: null,
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: null,
};

export const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** The names of the slots of a pool. */
export const namesOf = (pool: string, capacity: number): string[] =>
  Array.from({ length: capacity }, (_, i) => `${pool}_${i}`);

/** `base_i`, as a pool names its slots: [base, i]. */
export function slotName(name: string): [string, number] | null {
  const [, base, slotNumber] = /^(.+)_(0|[1-9]\d*)$/s.exec(name) ?? [];
  return base === undefined || slotNumber === undefined ? null : [base, Number(slotNumber)];
}

/** A line has the requests for slots of one resource, or for one slot, in one condition. */
export interface Line {
  name: string;
  condition: Condition;
}

export const lineKey = ({ name, condition }: Line): string => `${condition} ${name}`;

export class State {
  definitions = new Map<string, Registered>();
  reservations: Reservation[] = [];
  sessions = new Map<string, Session>();
  requireRegistration = false;
  fence = 0;
  nowMs = 0;
  /** Slots that are not ready. */
  conditions = new Map<string, Exclude<Condition, 'ready'>>();
  /** Lines of free slots that tickets ahead lack by name. Any slot of a pool means another one. */
  keptSlots: ReadonlySet<string> = new Set();

  get holds(): Hold[] {
    return [...new Set(this.reservations.flatMap(({ own, others }) => [own, ...others]))];
  }

  /** Returns true if a session has not ended; true for none. */
  protected hasSession(session: string | undefined): boolean {
    return session === undefined || this.sessions.has(session);
  }

  /** When a reservation ends; null: never. */
  endsAt({ session, expiresAt }: Reservation): number | null {
    return session === undefined ? expiresAt : (this.sessions.get(session)?.expiresAt ?? null);
  }

  holdAt(slot: string): Hold | undefined {
    return this.holds.find((hold) => hold.slot === slot);
  }

  /** Those who hold a slot SHARED. */
  sharing(slot: string): Reservation[] {
    return this.reservations.filter(({ own, details }) => own.slot === slot && details.mode === 'SHARED');
  }

  tokenAt(slot: string, requester: string): Reservation | undefined {
    const mine = this.reservations.filter((one) => one.requester === requester);
    return (
      mine.find(({ own }) => own.slot === slot) ?? mine.find(({ details }) => details.slots?.includes(slot) === true)
    );
  }

  conditionAt(slot: string): Condition {
    return this.conditions.get(slot) ?? 'ready';
  }

  /** The names of a resource's slots. */
  slotNames(resource: string): string[] {
    const capacity = this.capacityOf(resource);
    return capacity === 1 ? [resource] : namesOf(resource, capacity);
  }

  capacityOf(resource: string): number {
    return this.definitions.get(resource)?.capacity ?? 1;
  }

  isGroup(resource: string): boolean {
    return this.definitions.get(resource)?.isGroup === true;
  }

  heldOf(resource: string): Hold[] {
    return this.holds.filter(({ of, slot }) => of === resource || slot === resource);
  }

  /** The slot of a resource that an owner was assigned. */
  assigned(resource: string, owner: string): Hold | undefined {
    const mine = this.heldOf(resource).filter((hold) => hold.owner === owner);
    return (
      mine.find(({ of, slot, byName }) => of === resource && slot !== resource && !byName) ??
      mine.find(({ slot }) => slot === resource)
    );
  }

  ancestorsOf(resource: string): string[] {
    const parent = this.definitions.get(resource)?.parent ?? null;
    return parent === null ? [] : [...this.ancestorsOf(parent), parent];
  }

  meaning(name: string, setting = this.requireRegistration): { resource: string; slot?: string } | null {
    if (this.definitions.has(name)) return { resource: name };
    const [base, slotNumber] = slotName(name) ?? ['', 0];
    if (this.definitions.has(base) && this.capacityOf(base) > 1) {
      return slotNumber < this.capacityOf(base) ? { resource: base, slot: name } : null;
    }
    const last = name.includes('>') ? name.slice(name.lastIndexOf('>') + 1) : '';
    if (this.definitions.has(last)) {
      return [...this.ancestorsOf(last), last].join('>') === name ? { resource: last } : null;
    }
    return setting ? null : { resource: name };
  }

  /** The reservation that a name and a requester stand for when it is released. */
  find(name: string, requester: string): Reservation | undefined {
    const literally = this.tokenAt(name, requester);
    if (literally !== undefined) return literally;
    const meant = this.meaning(name);
    if (meant === null) {
      return this.reservations.find(
        (one) => one.requestedName === name && one.requester === requester && name.includes('>'),
      );
    }
    return this.tokenAt(meant.slot ?? this.assigned(meant.resource, requester)?.slot ?? meant.resource, requester);
  }

  /** Returns true if anybody holds a slot of what a name stands for. */
  isHeld(name: string): boolean {
    if (this.holdAt(name) !== undefined) return true;
    const meant = this.meaning(name);
    if (meant === null) return false;
    return meant.slot === undefined ? this.heldOf(meant.resource).length > 0 : this.holdAt(meant.slot) !== undefined;
  }

  whyNotSeveral({ resource, slot }: { resource: string; slot?: string }, count: number): string | null {
    if (count === 1) return null;
    if (slot !== undefined) return `NOT_VALID: ${slot} is one slot; count needs the name of its pool`;
    const capacity = this.capacityOf(resource);
    return capacity < count ? `NOT_VALID: ${resource} has ${capacity} slot${capacity === 1 ? '' : 's'}` : null;
  }

  whyNotSharable({ resource, slot }: { resource: string; slot?: string }): string | null {
    const capacity = this.capacityOf(resource);
    if (slot !== undefined || capacity === 1) return null;
    return `NOT_VALID: ${resource} has ${capacity} slots; SHARED needs the name of one, ${resource}_0 to ${resource}_${capacity - 1}`;
  }

  whyNotValid(name: string): string {
    const [base, slotNumber] = slotName(name) ?? ['', 0];
    const capacity = this.capacityOf(base);
    const last = name.slice(name.lastIndexOf('>') + 1);
    if (this.definitions.has(base) && capacity > 1 && slotNumber >= capacity)
      return `NOT_VALID: ${base} has ${capacity} slots, ${base}_0 to ${base}_${capacity - 1}`;
    if (name.includes('>') && this.definitions.has(last))
      return `NOT_VALID: ${last} is registered as ${[...this.ancestorsOf(last), last].join('>')}`;
    return `NOT_VALID: ${name} is not registered, and this tenant allows only registered resources`;
  }
}
