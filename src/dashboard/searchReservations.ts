/**
 * Searches a tenant's reservations for a page, newest first. It reads only as many as it can while a person waits.
 */
import type { ActiveFilter, ActiveReservation } from '../contract/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/call.ts';
import { active } from '../engine/reservations/active.ts';

/** Maximum number of reservations that a search reads: about 100 ms of an instance. */
const MAX_LOOKED_AT = 20_000;
/** Characters of blockers' names and of notes that a search keeps in memory. */
const MAX_NAMES_LENGTH = 4_194_304;

export interface Found {
  /** The requested page. */
  readonly page: readonly ActiveReservation[];
  /** Number of matches among the reservations that were read. */
  readonly matches: number;
  readonly lookedAt: number;
  /** Whether there are more reservations than were read. */
  readonly isPartial: boolean;
}

export interface Search {
  readonly filter?: ActiveFilter;
  /** Part of a resource's or requester's name; '' any. */
  readonly text?: string;
  /** Matches to leave out before the page. */
  readonly from?: number;
  readonly size: number;
}

/**
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function searchReservations(
  engine: Engine,
  credential: Credential,
  { filter, text = '', from = 0, size }: Search,
): Promise<Found> {
  const wanted = text.toLowerCase();
  const found: ActiveReservation[] = [];
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
      if (!`${one.resource}\n${one.requester}`.toLowerCase().includes(wanted)) continue;
      found.push(one);
      for (const blocker of one.acquiredBlockers ?? []) namesLength += blocker.length;
      namesLength += one.note?.length ?? 0;
    }
  }
  found.sort((one, other) => other.fencingToken - one.fencingToken);
  return { page: found.slice(from, from + size), matches: found.length, lookedAt, isPartial };
}
