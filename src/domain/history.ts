/**
 * Where the history of ended reservations and waits is kept (docs/specification.md#history): in the database, or
 * without one the newest entries in Redis. Operations use only this.
 */
import type { Mode } from './reservations.ts';
import type { EntryKind, Frame, HeldNow, HourOfRefusals, PastUsage } from './usage.ts';

/** Ends of a reservation. NOT_CLAIMED: it was granted to a caller that waited, and that never came back for it. */
const RESERVATION_ENDINGS = ['RELEASED', 'EXPIRED', 'TAKEN_AWAY', 'SESSION_ENDED', 'RESET', 'NOT_CLAIMED'] as const;
/** Ends of a wait that comes to nothing. */
export const WAIT_ENDINGS = ['ELAPSED', 'CANCELLED', 'NOT_VALID'] as const;
export const ENDINGS = [...RESERVATION_ENDINGS, ...WAIT_ENDINGS, 'OUT_OF_SERVICE'] as const;
export type Ending = (typeof ENDINGS)[number];

export { ENTRY_KINDS, type EntryKind } from './usage.ts';

/** Entries of a tenant that are kept without a database. */
export const KEPT_ENTRIES = 10_000;

/** Entries that one read pays for. An entry of more than 512 bytes counts as one for each 512. */
export const LOOKED_PER_READ = 1000;

/** An ended reservation, wait, or time out of service. Times are ms since 1970 UTC. */
export interface PastEntry {
  readonly kind: EntryKind;
  /** Of a reservation its fencing token, of a wait the number of its ticket. */
  readonly number: number;
  readonly resource: string;
  /** null: the name of the resource */
  readonly requestedName: string | null;
  readonly slots: readonly string[];
  /** The requester that held it or waited, or the actor who took it out of service. */
  readonly requester: string;
  readonly resourceType: string;
  readonly mode: Mode;
  readonly apiKeyLabel: string | null;
  /** Of a time out of service: why. */
  readonly note: string | null;
  /** null: it did not wait */
  readonly waitedMs: number | null;
  /** Of a time out of service: since when. null for a wait */
  readonly reservedAt: number | null;
  readonly endedAt: number;
  readonly ending: Ending;
  /** Also the actor who brought it back into service. null: nobody but its holder ended it */
  readonly actor: string | null;
  /** The booking that it was the running time of; null: of none */
  readonly booking: string | null;
}

/** The fields of an entry that figures of usage need. */
export type PastUse = Pick<PastEntry, 'kind' | 'resource' | 'slots' | 'reservedAt' | 'endedAt' | 'waitedMs'>;

/** Which entries are read. A part that is left out, or undefined, lets all through. */
export interface HistoryFilter {
  readonly resource?: string | undefined;
  readonly requester?: string | undefined;
  /** Only entries that ended at this time or later. */
  readonly from?: Date | undefined;
  /** Only entries that ended before this time. */
  readonly to?: Date | undefined;
  /** Only entries whose use or wait began before this time. With `from`: those that overlap the time between. */
  readonly beganBefore?: Date | undefined;
}

/** When a use, a wait, or a time out of service began, in ms since 1970 UTC. */
export const beginOf = ({ reservedAt, endedAt, waitedMs }: Pick<PastEntry, 'reservedAt' | 'endedAt' | 'waitedMs'>) =>
  reservedAt ?? endedAt - (waitedMs ?? 0);

export interface PastPage {
  readonly entries: readonly PastEntry[];
  /** Cursor of the next page, which may have no entries; null: there is none */
  readonly next: string | null;
}

export interface History {
  /**
   * Reads what one read pays for, the latest entries first: at most `limit` of them. They may be fewer, even none,
   * before the history ends.
   * @param cursor `next` of the page before; undefined: the first page
   * @throws HoldfastError refused if the cursor is none of this history; unavailable
   */
  page(tenant: string, filter: HistoryFilter, cursor: string | undefined, limit: number): Promise<PastPage>;

  /**
   * Reads the latest reservations of some resources that ended at a time or later, as far as they are written down: for
   * a page that shows many resources. Those of the last seconds may be missing.
   * @param limit at most so many, the latest first
   * @throws HoldfastError unavailable
   */
  recent(tenant: string, resources: readonly string[], from: Date, limit: number): Promise<readonly PastEntry[]>;

  /**
   * Writes down the reservations that an earlier reset ended and put aside, as far as there is room for them.
   * @throws HoldfastError unavailable
   */
  keepReset(tenant: string): Promise<void>;

  /**
   * Works out how much a resource was used.
   * @throws HoldfastError unavailable
   */
  usage(tenant: string, resource: string, frame: Frame): Promise<PastUsage>;

  /**
   * Works out how much all resources together were used, step by step.
   * @throws HoldfastError unavailable
   */
  hours(tenant: string, frame: Frame): Promise<HoursOfAll>;

  /**
   * Reads how often a resource was refused, by the hour. Hours without any are left out.
   * @throws HoldfastError unavailable
   */
  refusals(tenant: string, resource: string, fromMs: number, toMs: number): Promise<HourOfRefusals[]>;

  /**
   * Finds the resources that are used most, and those that nobody used.
   * @returns also the number of entries that were looked at; 0 with a database
   * @throws HoldfastError unavailable
   */
  pools(tenant: string, query: PoolsQuery): Promise<{ readonly pools: Pools; readonly looked: number }>;

  /**
   * Finds out who held most. The most first.
   * @returns also the number of entries that were looked at; 0 with a database
   * @throws HoldfastError unavailable
   */
  holders(
    tenant: string,
    query: HoldersQuery,
  ): Promise<{ readonly holders: readonly HolderUsage[]; readonly looked: number }>;
}

/** How much all resources together were used. */
export interface HoursOfAll {
  /** Of each step, how long slots were held in it. */
  readonly heldMs: readonly number[];
  /** Reservations that were made within the span. */
  readonly reservations: number;
  readonly meanWaitedMs: number | null;
  readonly p95WaitedMs: number | null;
  /** Entries that were looked at; 0 with a database */
  readonly looked: number;
}

/** How much a person or a program held. */
export interface HolderUsage {
  /** The requester; of several whose names differ by the number at their end, what they have in common */
  readonly name: string;
  /** Number of these requesters. */
  readonly names: number;
  /** Time for which they held slots within the span: of two slots that are held for 1 s, 2,000. */
  readonly heldMs: number;
  /** Reservations that they made within the span. */
  readonly reservations: number;
  /** null: they did not wait */
  readonly meanWaitedMs: number | null;
}

export interface HoldersQuery extends Omit<Frame, 'stepMs'> {
  /** By requester. */
  readonly heldNow: readonly HeldNow[];
  readonly limit: number;
}

export interface PoolsQuery extends Omit<Frame, 'stepMs'> {
  /** Registered resources that can be reserved, by name. Others have one slot. */
  readonly known: ReadonlyMap<string, Known>;
  /** By resource. */
  readonly heldNow: readonly HeldNow[];
  /** The times within the span of slots that are out of service now. */
  readonly outNow: readonly OutNow[];
  /** The most resources that each list has. */
  readonly limit: number;
}

/** The time for which slots of a resource that are out of service now have been so, of two slots the sum. */
export interface OutNow {
  readonly resource: string;
  readonly outMs: number;
}

export interface Known {
  /** The number of its slots. */
  readonly capacity: number;
  /** True if others take it along, as a blocker or an ancestor: it may be used without a reservation of its own. */
  readonly isTakenAlong: boolean;
}

/** Usage of a resource, and waits for it. Means and percentiles are null if nobody did. */
export interface PoolUsage {
  readonly resource: string;
  /** The share of the time of all slots, while they were in service, in which they were held, 0 to 1. */
  readonly share: number;
  /** Reservations that were made. */
  readonly reservations: number;
  /** Times of waits: of reservations that ended, and of waits that came to nothing. */
  readonly meanWaitedMs: number | null;
  readonly p95WaitedMs: number | null;
  /** Reservations that ended and had waited. */
  readonly waited: number;
  /** Waits that came to nothing. */
  readonly gaveUp: number;
}

export interface Pools {
  /** The highest share first. */
  readonly byShare: readonly PoolUsage[];
  /** The longest mean wait first. Only those that somebody waited for. */
  readonly byWaiting: readonly PoolUsage[];
  /** Those that were out of service, with the share of the time of all slots in which they were, the highest first. */
  readonly outOfService: readonly { readonly resource: string; readonly share: number }[];
  /**
   * Registered resources that nobody held or waited for, by name, without those that others take along and those that
   * were out of service.
   */
  readonly unused: readonly string[];
  /** Their number. */
  readonly unusedCount: number;
}
