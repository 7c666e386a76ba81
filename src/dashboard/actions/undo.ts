/**
 * Taking back a release: what a person has just released, they reserve again for the rest of the time, with the note
 * (docs/specification.md#reserving-by-hand). A cookie remembers it (undoCookie.ts).
 */
import type { Context } from 'hono';
import { z } from 'zod';
import type { ReserveResult } from '../../contract/reservations.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { type ResourceState, resourceStates } from '../../engine/reservations/states.ts';
import { isOwn } from '../../operations/permissions.ts';
import { reserve } from '../../operations/reservations.ts';
import { NO_POLLING } from '../../operations/waiting.ts';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { type Attempt, attempt, check } from '../form.ts';
import { reserveSchema } from '../formSchemas.ts';
import { refusalOf } from '../words/refusalWords.ts';
import { zoneOf } from '../zone.ts';
import { Released } from './undoable.ts';
import { fits, readUndo, writeUndo } from './undoCookie.ts';

const COOKIE = 'released';
/** Time for which a release can be taken back, unless somebody else has it by then. */
const LASTS_MS = 600_000;
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
    atMs: Date.now(),
  };
}

/**
 * Returns what a person is about to release together, as far as it is theirs, can be reserved again as it was, and the
 * cookie has room for it.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function releasedOfMany(
  engine: Engine,
  { user, credential }: Viewer,
  holds: readonly Pick<Released, 'resource' | 'requester'>[],
): Promise<Released[]> {
  const own = holds.filter(({ requester }) => isOwn(user, requester)).slice(0, MAX_RELEASES);
  if (own.length === 0) return [];
  const names = own.map(({ resource }) => resource);
  const requesters = [...new Set(own.map(({ requester }) => requester))];
  const states = await resourceStates(engine, credential, names, { slots: 16, requesters });
  const atMs = Date.now();
  return own.flatMap((hold, i) => {
    const released = releasedOf(states[i], hold);
    return released === null ? [] : [{ ...released, atMs }];
  });
}

/** The latest releases of the browser, newest first. */
export const latestReleases = (c: Context<DashboardEnv>, publicUrl: string | undefined): Released[] =>
  readUndo(c, publicUrl, COOKIE, z.array(Released)) ?? [];

/** Remembers releases, and forgets older ones that the cookie has no room for. */
export function remember(c: Context<DashboardEnv>, publicUrl: string | undefined, released: readonly Released[]): void {
  const names = new Set(released.map(({ resource }) => resource));
  const others = latestReleases(c, publicUrl).filter(({ resource }) => !names.has(resource));
  const all = [...released, ...others].slice(0, MAX_RELEASES);
  while (all.length > 1 && !fits(all)) all.pop();
  if (fits(all)) writeUndo(c, publicUrl, COOKIE, all, LASTS_MS);
}

/**
 * Returns those of some releases that can be taken back: nobody has it, or waits for it, and its time is not over.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function stillOpen(
  engine: Engine,
  credential: Credential,
  releases: readonly Released[],
): Promise<Released[]> {
  const open = releases.filter(({ untilMs }) => untilMs === null || untilMs > Date.now());
  if (open.length === 0) return [];
  const states = await resourceStates(
    engine,
    credential,
    open.map(({ resource }) => resource),
    { slots: 0 },
  );
  return open.filter(({ count = 1 }, i) => {
    const state = states[i];
    return state?.waiting === 0 && state.free >= count && state.fullAncestor === null && state.blockedBy === null;
  });
}

/**
 * The form that takes back a release (undo.ts): it reserves the same again for the same person.
 */
export const takeBackForm = (deps: DashboardDeps) => {
  const Reserves = reserveSchema(deps);

  /** Reserves again what the browser has just released, for the rest of its time. */
  return async (c: Context<DashboardEnv>, resource: string): Promise<Attempt<ReserveResult>> => {
    const { viewer } = c.var;
    const released = viewer.releases.find((one) => one.resource === resource && isOwn(viewer.user, one.requester));
    const restS = released?.untilMs == null ? null : Math.ceil((released.untilMs - Date.now()) / 1000);
    if (released === undefined || (restS !== null && restS < 1))
      return { ok: false, status: 409, fault: `“${resource}” was not taken back: it is too late for that.` };
    const { untilMs: _, atMs: __, ...item } = released;
    const tried = await attempt(deps, c, async () => {
      const items = check(Reserves, [{ ...item, ...(restS !== null && { ttlSeconds: restS }) }]);
      const [result] = (await reserve(deps, viewer.credential, items, NO_POLLING)).result;
      if (result === undefined) throw new HoldfastError('refused', 'it was not reserved');
      return result;
    });
    if (!tried.ok || tried.result.status === 'ACQUIRED' || tried.result.status === 'ALREADY_HAD') return tried;
    const { fault } = refusalOf(tried.result, null, zoneOf(c));
    return { ok: false, status: 409, fault: `Not taken back: ${fault}` };
  };
};
