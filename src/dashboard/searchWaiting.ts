/**
 * Searches a tenant's queue of waiting requests for a page, in queue order (docs/specification.md#waiting-order). It
 * reads only as many as it can while a person waits.
 */
import type { WaitingRequest } from '../contract/waiting.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/call.ts';
import { waiting } from '../engine/waiting/list.ts';

/** Maximum number of tickets that a search reads. */
const MAX_LOOKED_AT = 20_000;
/** Maximum number of tickets that a page shows. */
const MAX_SHOWN = 100;

/** A ticket and its place in the queue of the tenant, from 1. */
export interface Waiter {
  readonly place: number;
  readonly request: WaitingRequest;
}

export interface Waiters {
  /** The first matches, in queue order. */
  readonly first: readonly Waiter[];
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

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function searchWaiting(engine: Engine, credential: Credential, isWanted: Wanted): Promise<Waiters> {
  const first: Waiter[] = [];
  let matches = 0;
  let lookedAt = 0;
  for await (const page of waiting(engine, credential)) {
    if (isWanted === null && first.length === MAX_SHOWN)
      return { first, matches: page.total, lookedAt, isPartial: false };
    if (lookedAt >= MAX_LOOKED_AT) return { first, matches, lookedAt, isPartial: true };
    for (const request of page.rows) {
      lookedAt++;
      if (isWanted !== null && !isWanted(request)) continue;
      matches++;
      if (first.length < MAX_SHOWN) first.push({ place: lookedAt, request });
    }
  }
  return { first, matches, lookedAt, isPartial: false };
}
