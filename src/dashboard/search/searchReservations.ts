/**
 * Searches a tenant's reservations for a page. It reads only as many as it can while a person waits.
 */
import type { ActiveFilter, ActiveReservation } from '../../contract/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { active } from '../../engine/reservations/active.ts';

/** Maximum number of reservations that a search reads: about 100 ms of an instance. */
const MAX_LOOKED_AT = 20_000;
/** Characters of blockers' names and of notes that a search keeps in memory. */
const MAX_NAMES_LENGTH = 4_194_304;

/** How many types, and labels of keys, a page offers to choose from. */
const MAX_CHOICES = 50;

export interface Found {
  /** The requested page. */
  readonly page: readonly ActiveReservation[];
  /** Number of matches among the reservations that were read. */
  readonly matches: number;
  readonly lookedAt: number;
  /** Whether there are more reservations than were read. */
  readonly isPartial: boolean;
  /** Types, and labels of keys, of the reservations that were read. */
  readonly types: readonly string[];
  readonly keys: readonly string[];
}

export interface Search {
  readonly filter?: ActiveFilter;
  /** Says whether a reservation is looked for; absent: all are */
  readonly isWanted?: (one: ActiveReservation) => boolean;
  /** Their order; absent: newest first */
  readonly compare?: (one: ActiveReservation, other: ActiveReservation) => number;
  /** Matches to leave out before the page. */
  readonly from?: number;
  readonly size: number;
}

const newestFirst = (one: ActiveReservation, other: ActiveReservation) => other.fencingToken - one.fencingToken;

/**
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function searchReservations(
  engine: Engine,
  credential: Credential,
  { filter, isWanted = () => true, compare = newestFirst, from = 0, size }: Search,
): Promise<Found> {
  const found: ActiveReservation[] = [];
  const types = new Set<string>();
  const keys = new Set<string>();
  let lookedAt = 0;
  let isPartial = false;
  let namesLength = 0;
  for await (const page of active(engine, credential, filter)) {
    if (lookedAt >= MAX_LOOKED_AT || namesLength >= MAX_NAMES_LENGTH) {
      isPartial = true;
      break;
    }
    lookedAt += page.rows.length;
    for (const one of page.rows) {
      if (types.size < MAX_CHOICES) types.add(one.resourceType);
      if (keys.size < MAX_CHOICES && one.apiKeyLabel !== null) keys.add(one.apiKeyLabel);
      if (!isWanted(one)) continue;
      found.push(one);
      for (const blocker of one.acquiredBlockers ?? []) namesLength += blocker.length;
      namesLength += one.note?.length ?? 0;
    }
  }
  const shown = found.sort(compare).slice(from, from + size);
  return { page: shown, matches: found.length, lookedAt, isPartial, types: [...types].sort(), keys: [...keys].sort() };
}
