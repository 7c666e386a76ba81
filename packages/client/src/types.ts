/**
 * Types of the service's requests and responses. All are made from its OpenAPI description (generated.ts), so this
 * cannot drift.
 */

import type { Duration } from './durations.ts';
import type { HoldfastError } from './errors.ts';
import type { components } from './generated.ts';

export type { HeldBy } from './errors.ts';

type Schemas = components['schemas'];

export type ReserveItem = Schemas['ReserveItem'];
export type ReserveResult = Schemas['ReserveResult'];
export type UnreserveItem = Pick<
  Schemas['UnreserveItem'],
  'resource' | 'requester' | 'releaseToken' | 'condition' | 'reason'
>;
export type UnreserveResult = Schemas['UnreserveResult'];
export type RenewItem = Pick<
  Schemas['RenewItem'],
  'resource' | 'requester' | 'releaseToken' | 'ttlSeconds' | 'minTtlSeconds'
>;
export type RenewResult = Schemas['RenewResult'];
export type TransactionBody = Schemas['Transaction'];
export type TransactionResult = Schemas['TransactionResult'];
export type CheckItem = Schemas['CheckItem'];
export type CheckResult = Schemas['CheckResult'];
export type CancelItem = Schemas['CancelItem'];
export type CancelResult = Schemas['CancelResult'];
export type ActiveReservation = Schemas['ActiveReservation'];
export type WaitingRequest = Schemas['WaitingRequest'];
export type Registration = Schemas['Registration'];
export type Definition = Schemas['Definition'];
export type TreeNode = Schemas['TreeNode'];
export type ConditionItem = Schemas['ConditionItem'];
export type ConditionResult = Schemas['ConditionResult'];
/** Of a slot: ready for use, to be cleaned, or out of service. */
export type Condition = ConditionItem['condition'];
export type Booking = Schemas['Booking'];
export type BookResult = Schemas['BookResult'];
export type BookedItem = Schemas['BookedItem'];
/** A confirmed booking. Other calls take its id, `booking`. */
export type BookedSlot = BookedItem & { readonly booking: string; readonly slot: string };
/** How a booking repeats: `{ every: 'week', on: ['mon'], until: '2026-12-24', timeZone: 'Europe/Berlin' }`. */
export type Repeat = NonNullable<Schemas['BookingItem']['repeat']>;
export type SessionInfo = Schemas['Session'];
export type BegunSession = Schemas['BegunSession'];
export type RenewedSession = Schemas['RenewedSession'];
export type EndedSession = Schemas['EndedSession'];
export type HoldfastEvent = Schemas['Event'];
export type Failure = Schemas['Failure'];
export type LimitReached = Schemas['LimitReached'];
/** Where a request that waits stands. `reason` says who is in the way. */
export type Waiting = NonNullable<ReserveResult['waiting']>;
/** Who is in the way: the holders, since when, until when and why, and who is next. */
export type Reason = NonNullable<CheckResult['reason']>;
export type Match = NonNullable<ReserveItem['match']>;

/** A request that failed and is sent again. */
export interface Retry {
  /** Why it failed. */
  readonly error: HoldfastError;
  /** Number of times that it was sent until now. */
  readonly attempt: number;
  /** When it is sent again, in ms from now. */
  readonly delayMs: number;
}

/** Options of a client. */
export interface HoldfastOptions {
  /** Where the service is: `https://holdfast.example.com`. */
  readonly url: string;
  /**
   * API key or derived token. A function is called for each request, for keys that rotate and tokens that end; and once
   * more, with the key that was refused, if the service refuses it.
   */
  readonly key: string | ((refused?: string) => string | Promise<string>);
  /**
   * Who reserves. The default is unique to this object (host, process, random). Two workers with the same requester do
   * not exclude each other, and the first one that releases ends the hold of both.
   */
  readonly requester?: string | undefined;
  /**
   * Time for which calls are repeated while the service cannot be reached: 30 s if absent, 0: none. Calls that wait,
   * renewals and releases of holds have times of their own.
   */
  readonly retryFor?: Duration | undefined;
  /** Called before each repeat of a request: for logs and metrics. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** Options of reserve. */
export interface ReserveOptions {
  /** The lease: 30 s if absent. `Infinity`: it never ends by itself. */
  readonly ttl?: Duration | undefined;
  /**
   * So much of the lease will do, if a booking of somebody else begins before its end
   * (docs/specification.md#leases-end-in-time). Absent: all of it.
   */
  readonly minTtl?: Duration | undefined;
  /** Time to wait for its turn. Absent: none. */
  readonly wait?: Duration | undefined;
  /** -100 to 100; higher is served first. */
  readonly priority?: number | undefined;
  /** Slots of a pool to take together. */
  readonly count?: number | undefined;
  readonly mode?: 'EXCLUSIVE' | 'SHARED' | undefined;
  /** A slot in this condition, for those who clean (`dirty`) or repair (`out`). Absent: one that is ready. */
  readonly condition?: Exclude<Condition, 'ready'> | undefined;
  /** Labels of the resource, instead of its name; beside names: of one more. */
  readonly match?: Match | undefined;
  /** So many resources with the `match`, all or none. */
  readonly quantity?: number | undefined;
  /** For people: why it is reserved. */
  readonly note?: string | undefined;
  /** Who reserves, if not the client's requester. */
  readonly requester?: string | undefined;
  /** Ends the call: a wait is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with its place in the queue and who is in the way, while it waits: within a second, then every 5 s (sooner
   * with a short `ttl`).
   */
  readonly onWaiting?: ((waiting: Waiting) => void) | undefined;
  /** Called when a booking of somebody else fixes the end of the lease, and each time that this end changes. */
  readonly onEndFixed?: ((end: Date) => void) | undefined;
}

/** Options of book. */
export interface BookOptions {
  /** When it begins. Times of bookings are cut to whole seconds. */
  readonly start: Date;
  /** When it ends, at least a minute later. */
  readonly end: Date;
  /** For people: what it is for. */
  readonly note?: string | undefined;
  /** Who books, if not the client's requester. Choose one that is still the same at the start. */
  readonly requester?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of bookAll. */
export interface BookAllOptions extends BookOptions {
  /** Books a series: it repeats in the wall-clock time of a zone. */
  readonly repeat?: Repeat | undefined;
  /** Leaves out those that conflict. Absent: all or none. */
  readonly skipConflicts?: boolean | undefined;
}

/** The changes of changeBooking. Fields that are left out keep their value. */
export interface ChangeBookingOptions {
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
  /** null removes it. */
  readonly note?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The condition of the slots, as a release says it. */
export interface ReleaseOptions {
  /** Absent: as the resource's `afterUse` says. */
  readonly condition?: Condition | undefined;
  /** For people: why, with a condition. */
  readonly reason?: string | undefined;
}

/** One name or several to take together, or options with `match`. */
export type Wanted = string | readonly string[];
