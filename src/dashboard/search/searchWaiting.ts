/**
 * Searches a tenant's queue of waiting requests for a page, in queue order (docs/specification.md#waiting-order). It
 * reads only as many as it can while a person waits.
 */
import type { WaitingRequest } from '../../contract/waiting.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { waiting } from '../../engine/waiting/list.ts';

/** Maximum number of tickets that a search reads. */
const MAX_LOOKED_AT = 20_000;
/** Number of tickets that a page shows, unless it says otherwise. */
const PAGE = 100;

/** A ticket and its place among those that wait for the same resource, from 1. */
export interface Waiter {
  readonly place: number;
  readonly request: WaitingRequest;
}

export interface Waiters {
  /** A page of the matches, in queue order. */
  readonly shown: readonly Waiter[];
  /** Number of matches among the tickets that were read, or of all tickets if all match. */
  readonly matches: number;
  /** Number of tickets that were read. */
  readonly lookedAt: number;
  /** Whether there are more tickets than were read. */
  readonly isPartial: boolean;
}

/** Says whether a ticket is looked for; null: all are */
export type Wanted = ((request: WaitingRequest) => boolean) | null;

/** Matches tickets by a part of a resource's or the requester's name; '' any. */
export function byText(text: string): Wanted {
  if (text === '') return null;
  const wanted = text.toLowerCase();
  return ({ requester, resources, waitsFor }) =>
    [requester, waitsFor, ...resources].join('\n').toLowerCase().includes(wanted);
}

/** A page of the matches: how many to leave out before it, and its size. */
export interface WaitersPage {
  readonly from: number;
  readonly size: number;
}

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function searchWaiting(
  engine: Engine,
  credential: Credential,
  isWanted: Wanted,
  { from, size }: WaitersPage = { from: 0, size: PAGE },
): Promise<Waiters> {
  const shown: Waiter[] = [];
  let matches = 0;
  let lookedAt = 0;
  const places = new Map<string, number>();
  for await (const page of waiting(engine, credential)) {
    if (isWanted === null && shown.length === size) return { shown, matches: page.total, lookedAt, isPartial: false };
    if (lookedAt >= MAX_LOOKED_AT) return { shown, matches, lookedAt, isPartial: true };
    for (const request of page.rows) {
      lookedAt++;
      const place = (places.get(request.waitsFor) ?? 0) + 1;
      places.set(request.waitsFor, place);
      if (isWanted !== null && !isWanted(request)) continue;
      matches++;
      if (matches > from && shown.length < size) shown.push({ place, request });
    }
  }
  return { shown, matches, lookedAt, isPartial: false };
}
