/**
 * Tickets in the model's queue: what each waits for, how long, and who attends it (docs/specification.md#waiting).
 */

import type { Match } from './matching.ts';

/** The end of a reservation: that of a lease, or of a session. */
export type Lasting = { ttlSeconds: number } | { session: string };

/** A ticket waits for one reserve item (method ''), or a whole transaction. */
export interface Request {
  requester: string;
  method: '' | 'ALL_OR_NONE' | 'FIRST';
  items: ({
    /** The text of the match, if there is one. */
    resource: string;
    match?: Match;
    /** Which one it is of the items of its batch with this match. */
    nth?: number | undefined;
    count?: number;
    mode?: 'SHARED';
    /** Absent: ready. */
    condition?: 'dirty' | 'out';
    minTtlSeconds?: number | undefined;
  } & Lasting)[];
  /** How long its reservations may last before they are claimed, in ms; absent: it is claimed at once. */
  claimMs?: number;
}

/** The wait of a request, as its caller sent it. */
export interface Wait {
  waitSeconds: number;
  priority: number;
  claimSeconds: number;
}

/** The call that sends a request: which instance holds it, and for how long. pollMs 0: the ticket is detached. */
export interface Call {
  instance: string;
  pollMs: number;
}

/** A place in the queue. */
export interface Rank {
  priority: number;
  id: number;
}

export interface Ticket extends Request, Rank {
  since: number;
  until: number;
  claimMs: number;
  /** The last call for it. */
  call: Call;
  /** When the last call that each instance has held for it ends, or ended, in ms. */
  calls: Record<string, number>;
  /** When its attendance ended, in ms; null until then. Only a call for it makes it attended again. */
  awayAt: number | null;
  /** Names in its plan since it was issued: the engine may list any of them as what the ticket waits for. */
  lacked: string[];
}

/** The rank of a request without a ticket. */
export const LAST: Rank = { priority: Number.NEGATIVE_INFINITY, id: Number.POSITIVE_INFINITY };

export const isAhead = (one: Rank, other: Rank): boolean =>
  one.priority > other.priority || (one.priority === other.priority && one.id < other.id);

export const isSameRequest = (one: Request, other: Request): boolean =>
  one.requester === other.requester &&
  one.method === other.method &&
  one.items.length === other.items.length &&
  one.items.every(
    ({ resource, nth, count = 1, mode, condition }, i) =>
      resource === other.items[i]?.resource &&
      nth === other.items[i]?.nth &&
      condition === other.items[i]?.condition &&
      count === (other.items[i]?.count ?? 1) &&
      mode === other.items[i]?.mode,
  );

/** The session of a request; undefined: its items have leases. */
export const sessionOf = ({ items: [first] }: Request): string | undefined =>
  first && 'session' in first ? first.session : undefined;

/** The number of slots that items ask for. */
export const slotsOf = (items: Request['items']): number => items.reduce((sum, { count = 1 }) => sum + count, 0);

/** An item of a request that waits as a whole. */
interface Part {
  resource: string;
  match?: Match;
  count?: number;
  mode?: 'SHARED';
  condition?: 'dirty' | 'out';
}

/**
 * The items of a request that waits as a whole, such that none of them can be had because another slot is taken: no
 * ticket is looked at for that (docs/specification.md#matches-in-transactions-that-wait).
 * - Those for one resource ask for one condition, else the second could have what it did not ask for by the first. A
 *   match may be for any resource.
 * - From a match on, each asks for one slot, unless the match is the last. A match for two can pick a pool of which
 *   another item needs one; a name can have less than it asked for by the match.
 */
export const grantableByFreeing = <Item extends Part>(items: readonly Item[]): Item[] => {
  const firstMatch = items.findIndex(({ match }) => match !== undefined);
  const base = ({ resource }: Item) => (firstMatch < 0 ? resource.replace(/^r>|_\d$/g, '') : '');
  return items.map((item, i) => {
    const { condition: _, count, ...rest } = item;
    const same = items.filter((one) => base(one) === base(item));
    const condition = same.some(({ mode }) => mode === 'SHARED') ? undefined : same[0]?.condition;
    const isOfOne = firstMatch >= 0 && firstMatch < items.length - 1 && i >= firstMatch;
    return {
      ...rest,
      ...(count !== undefined && !isOfOne && { count }),
      ...(condition !== undefined && { condition }),
    } as Item;
  });
};
