/** One reservation of a hold, and what releases it. */
import type { ReserveResult } from '../types.ts';

/** The fields that renew and release a reservation. */
export interface ReservationKey {
  readonly resource: string;
  readonly requester: string;
  readonly releaseToken: string;
}

type ReservationResult = Pick<ReserveResult, 'resource' | 'requester' | 'releaseToken'>;

/** Facts that holders of a resource need, such as its address. */
export type Attributes = Readonly<Record<string, string>>;

/** One reservation of a hold. */
export interface Reservation extends ReservationKey {
  /** Higher than that of every earlier reservation. Pass it to whatever the resource protects. */
  readonly fencingToken: number;
  /** Its slots of a pool; otherwise its own name. */
  readonly slots: readonly string[];
  /** The slot that it has of its resource and of each ancestor, if they are pools. */
  readonly acquiredSlots: Readonly<Record<string, string>> | null;
  /** The slots of blockers that the service holds for it. */
  readonly acquiredBlockers: readonly string[];
  /** Its path in the tree, if it has ancestors. */
  readonly reservedAtPath: string | null;
  readonly mode: 'EXCLUSIVE' | 'SHARED';
  /** The attributes of the resource and, unless it has several slots, of its slot. */
  readonly attributes: Attributes;
  /** If it has several slots: the attributes of each of `slots`. */
  readonly slotAttributes: readonly Attributes[];
  /** When the lease ends, by the clock of the service. Null: it never ends by itself. */
  readonly expiresAt: Date | null;
}

/** Returns the key that releases a result. */
export const keyOf = ({ resource, requester, releaseToken }: ReservationResult): ReservationKey => ({
  resource,
  requester,
  releaseToken: releaseToken ?? '',
});

/** Returns the reservation of a result that got it. */
export function reservationOf(result: ReserveResult): Reservation {
  const { resource, requester, acquiredSlots, acquiredBlockers, reservedAtPath, mode = 'EXCLUSIVE' } = result;
  const slot = acquiredSlots?.[reservedAtPath?.split('>').at(-1) ?? resource] ?? resource;
  return {
    resource,
    requester,
    releaseToken: result.releaseToken ?? '',
    fencingToken: result.fencingToken ?? 0,
    slots: result.slots ?? [slot],
    acquiredSlots,
    acquiredBlockers: acquiredBlockers ?? [],
    reservedAtPath,
    mode,
    attributes: result.attributes ?? {},
    slotAttributes: result.slotAttributes ?? [],
    expiresAt: dateOf(result.expiresAt),
  };
}

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));
