/**
 * What the timeline of a resource is made from, and the bars that it is made of. Times are ms since 1970 UTC.
 */

/**
 * - `free`: a slot of a pool, from now on
 * - `past`: it has ended
 * - `held`, or `mine`: held by the person who looks
 * - `waiting`: somebody who waits
 * - `blocked`: another resource is in the way
 * - `look`: somebody should look at it
 * - `out`: out of service
 * - `dirty`: it has to be cleaned
 * - `booked`: for a time ahead
 */
export type BarKind = 'free' | 'past' | 'held' | 'mine' | 'waiting' | 'blocked' | 'look' | 'out' | 'dirty' | 'booked';

/** Somebody who holds a slot, or held it. */
export interface Holding {
  /** The number of the slot, from 0. */
  readonly slot: number;
  readonly kind: Exclude<BarKind, 'free' | 'waiting' | 'out' | 'dirty' | 'booked'>;
  readonly who: string;
  readonly note?: string | undefined;
  /** null: before anybody knows */
  readonly fromMs: number | null;
  /** null: no end */
  readonly toMs: number | null;
  /** True if a session keeps it, so that nobody knows its end. */
  readonly isKept?: boolean;
}

/** A slot that nobody gets, although it is free or will be. */
export interface NotReady {
  /** The number of the slot, from 0. */
  readonly slot: number;
  readonly kind: 'out' | 'dirty';
  /** `Out of service · display dark` */
  readonly text: string;
  /** null: before anybody knows */
  readonly fromMs: number | null;
}

/** A booking that has not begun, or that has not got its slot yet. */
export interface Booked {
  /** The number of the slot, from 0. */
  readonly slot: number;
  readonly who: string;
  readonly note?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Somebody who waits. */
export interface Waiting {
  readonly who: string;
  readonly note?: string | undefined;
  /** The lease that they ask for; null: without an end */
  readonly ttlMs: number | null;
  /** How many slots. */
  readonly count: number;
  /** True if they want slots that others do not get (expected.ts). */
  readonly isApart?: boolean;
}

export interface RowFacts {
  /** The number of slots. */
  readonly capacity: number;
  /** How many are held; more than `holdings` has of a large pool */
  readonly held: number;
  /** The number that can be taken; absent: all that are not held */
  readonly free?: number;
  /** Reservations in force, and ended ones. */
  readonly holdings: readonly Holding[];
  /** Slots that are not ready, held or not; perhaps not all of a large pool. */
  readonly notReady?: readonly NotReady[];
  /** In the order of the queue. */
  readonly waiting: readonly Waiting[];
  /** Of all its slots. */
  readonly bookings?: readonly Booked[];
  /** The reason why nobody can take it though a slot is free, and its end. */
  readonly blocked?: { readonly by: string; readonly toMs: number | null } | undefined;
}

export interface Bar {
  readonly kind: BarKind;
  readonly lane: number;
  /** Places in percent of the width. */
  readonly from: number;
  readonly to: number;
  /** True if its begin or its end is outside of the picture, or not known. */
  readonly isCutLeft: boolean;
  readonly isCutRight: boolean;
  /** True if it fades out: a session keeps it. */
  readonly fades: boolean;
  readonly text: string;
}
