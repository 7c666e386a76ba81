/**
 * Taking back a release: what a person has just released, they reserve again for the rest of the time, with the note
 * (docs/specification.md#reserving-by-hand). A cookie remembers it (undoCookie.ts).
 */
import type { Context } from 'hono';
import { z } from 'zod';
import type { ResourceState } from '../../engine/reservations/states.ts';
import type { DashboardEnv } from '../env.ts';
import { Released } from './released.ts';
import { fits, readUndo, writeUndo } from './undoCookie.ts';

const COOKIE = 'released';
const MAX_RELEASES = 4;

/** Returns what a requester is about to release; null: it is not known, or it cannot be reserved again as it was */
export function releasedOf(
  state: ResourceState | undefined,
  { resource, requester }: Pick<Released, 'resource' | 'requester'>,
): Released | null {
  // If somebody waits, it is theirs at once.
  if (state === undefined || state.waiting > 0) return null;
  const holds = state.slots.flatMap(({ hold }) =>
    hold?.kind === 'own' && hold.resource === resource && hold.holder === requester ? [hold] : [],
  );
  const [first] = holds;
  if (first === undefined || first.hasSession || first.isUnclaimed || first.condition !== null) return null;
  return {
    resource,
    requester,
    untilMs: first.until === null ? null : Date.parse(first.until),
    ...(first.note !== undefined && { note: first.note }),
    ...(holds.length > 1 && { count: holds.length }),
  };
}

/** The latest releases of the browser, newest first. */
export const latestReleases = (c: Context<DashboardEnv>, publicUrl: string | undefined): Released[] =>
  readUndo(c, publicUrl, COOKIE, z.array(Released)) ?? [];

/** Remembers a release, and forgets older ones that the cookie has no room for. */
export function remember(c: Context<DashboardEnv>, publicUrl: string | undefined, released: Released): void {
  const others = latestReleases(c, publicUrl).filter(({ resource }) => resource !== released.resource);
  const all = [released, ...others].slice(0, MAX_RELEASES);
  while (all.length > 1 && !fits(all)) all.pop();
  if (fits(all)) writeUndo(c, publicUrl, COOKIE, all);
}
