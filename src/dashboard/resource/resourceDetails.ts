/**
 * Reads what the page of one resource shows. It reads nothing of other resources but those on the way to it, what it
 * takes along, and the first of those below it.
 */
import type { Booking } from '../../contract/bookings.ts';
import type { Definition } from '../../contract/definitions.ts';
import type { ResourceUsage } from '../../contract/history.ts';
import type { Reason } from '../../contract/reservationFields.ts';
import type { PastEntry } from '../../domain/history.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { Credential } from '../../domain/tenants.ts';
import { definition, tree } from '../../engine/definitions/list.ts';
import type { Engine } from '../../engine/engine.ts';
import { check } from '../../engine/reservations/check.ts';
import { type ResourceState, resourceState } from '../../engine/reservations/resource.ts';
import { type ResourceState as RowState, resourceStates } from '../../engine/reservations/states.ts';
import { debitLooked } from '../../operations/charging.ts';
import { fillPage } from '../../operations/history.ts';
import { measureUsage, type UsageOfResource } from '../../operations/usage.ts';
import { readBookings } from '../bookings/read.ts';
import { DAYS } from '../bookings/week.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { type NameOf, namesOf } from '../people.ts';
import { type Frame, frameAt } from '../timeline/frame.ts';
import { may } from '../viewer.ts';
import { type Row, toRow } from './registeredResources.ts';

/** Slots on one page. */
export const SLOTS = 100;
/** Nodes below it on one page. */
const BELOW = 100;
const HOUR_MS = 3_600_000;
const DAY_S = 86_400;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** A resource that it takes along, and that has a row of the timeline, too. */
const MAX_ALONG = 4;
/** Slots of these that are read. */
const ALONG_SLOTS = 12;

/** How much time the timeline shows, which share of it is past, and how many ended reservations are read for it. */
export const VIEWS = {
  today: { spanMs: 7.5 * HOUR_MS, past: 0.18, entries: 100 },
  day: { spanMs: 24 * HOUR_MS, past: 0.6, entries: 300 },
  week: { spanMs: WEEK_MS, past: 0.8, entries: 1000 },
} as const;
export type View = keyof typeof VIEWS;

/** The pages of a resource. */
export const TABS = ['now', 'history', 'events', 'definition'] as const;
export type Tab = (typeof TABS)[number];
/** Ended reservations on a page of its history. */
const HISTORY_ROWS = 50;

export interface Below {
  readonly roots: readonly Row[];
  readonly children: ReadonlyMap<string, readonly Row[]>;
  /** The path after which the next page begins; null: there is none */
  readonly next: string | null;
}

export interface Details {
  /** The resource that the name means, or the name itself. */
  readonly name: string;
  readonly state: ResourceState;
  /** The slots on this page, by their names; which page it is, from 1, and how many there are. */
  readonly slots: readonly string[];
  readonly page: number;
  readonly pages: number;
  /** The reason why others cannot take it; null: only that it is held */
  readonly inTheWay: Reason | null;
  readonly frame: Frame;
  /** The resources that it takes along, as far as the timeline shows them. */
  readonly along: readonly RowState[];
  /** The latest that ended, waits among them. */
  readonly past: readonly PastEntry[];
  /** Where older ones begin; null: there are none */
  readonly older: string | null;
  /** How much it was used in the last 7 days, hour by hour; null: a group is not used */
  readonly usage: ResourceUsage | null;
  readonly below: Below;
  /** Its bookings, to the end of the week that is shown; null: it cannot be booked, or another page is wanted */
  readonly bookings: readonly Booking[] | null;
  /** Its definition, to change it; null: it is not registered, or another page is wanted */
  readonly definition: Definition | null;
  readonly nameOf: NameOf;
}

export interface Wanted {
  readonly name: string;
  readonly tab: Tab;
  readonly view: View;
  /** The week of its bookings, from 0: from today on. */
  readonly week: number;
  /** Where the page of its history begins; undefined: at the latest */
  readonly cursor: string | undefined;
  /** The page of its slots, from 1. */
  readonly page: number;
  /** The path after which the nodes below it begin; undefined: its own */
  readonly after: string | undefined;
}

type Deps = Pick<DashboardDeps, 'engine' | 'history' | 'reads' | 'memberships'>;

/**
 * @param zone of the browser
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the cursor is none
 */
export async function readDetails(deps: Deps, viewer: Viewer, wanted: Wanted, zone: string): Promise<Details> {
  const { engine, history, reads } = deps;
  const { credential } = viewer;
  const { name: typed, tab, view, week, page, after, cursor } = wanted;
  const first = (page - 1) * SLOTS;
  const state = await resourceState(engine, credential, typed, first, SLOTS);
  const name = state.resource ?? typed;
  const isNow = tab === 'now';
  const isGroup = state.registered?.capacity === null;
  const rows = isNow ? VIEWS[view].entries : tab === 'history' ? HISTORY_ROWS : 0;
  const [past, used, below, inTheWay, along, stored, bookings] = await Promise.all([
    rows === 0
      ? { entries: [], next: null }
      : fillPage(history, credential.tenant, { resource: name }, cursor, rows, () => reads.debit(credential)),
    isGroup ? null : measureUsage({ engine, history }, credential.tenant, weekOf(name)),
    readBelow(engine, credential, state, after),
    state.plan.length === 0 ? null : readInTheWay(engine, credential, name),
    isNow ? readAlong(engine, credential, state) : [],
    tab === 'definition' && may(viewer, 'define') ? definition(engine, credential, name) : null,
    isNow && state.registered?.isBookable ? readWeek(engine, credential, name, week) : null,
  ]);
  await debitLooked(reads, credential, used?.looked ?? 0);
  const { spanMs, past: share } = VIEWS[view];
  return {
    name,
    state,
    slots: slotsOf(name, state, first),
    page,
    pages: Math.max(1, Math.ceil((state.registered?.capacity ?? 1) / SLOTS)),
    inTheWay,
    frame: frameAt(Date.now(), zone, spanMs, share),
    along,
    past: past.entries,
    older: past.next,
    usage: used?.usage ?? null,
    below,
    definition: stored,
    bookings,
    nameOf: await namesOf(deps, viewer, [
      ...requestersOf(state, along, past.entries),
      ...(bookings ?? []).map(({ requester }) => requester),
    ]),
  };
}

/** Bookings up to the end of a week: its days begin today at the latest, in any time zone. */
function readWeek(engine: Engine, credential: Credential, resource: string, week: number): Promise<Booking[]> {
  const from = Math.floor(Date.now() / 1000);
  return readBookings(engine, credential, { resource, from, to: from + (week + 1) * DAYS * DAY_S });
}

const weekOf = (resource: string): UsageOfResource => ({
  resource,
  from: new Date(Date.now() - WEEK_MS),
  to: undefined,
  step: 'hour',
});

async function readAlong(engine: Engine, credential: Credential, { plan }: ResourceState): Promise<RowState[]> {
  const names = plan.filter(({ capacity }) => capacity > 0).map(({ name }) => name);
  return resourceStates(engine, credential, names.slice(0, MAX_ALONG), { slots: ALONG_SLOTS });
}

const requestersOf = (state: ResourceState, along: readonly RowState[], past: readonly PastEntry[]): string[] => [
  ...state.notReady.map(({ actor }) => actor ?? ''),
  ...state.holds.flatMap(({ hold, shares }) => [hold, ...shares].map(({ holder }) => holder)),
  ...state.queue.map(({ request }) => request.requester),
  ...along.flatMap(({ slots }) => slots.map(({ hold }) => hold?.holder ?? '')),
  ...past.map(({ requester }) => requester),
];

/** The names of the slots on a page. One that is held under another name than its resource has stands first. */
function slotsOf(name: string, { registered, holds }: ResourceState, first: number): string[] {
  const capacity = registered === null ? 1 : (registered.capacity ?? 0);
  if (capacity === 1) return [name];
  const count = Math.min(SLOTS, Math.max(0, capacity - first));
  const slots = Array.from({ length: count }, (_, i) => `${name}_${first + i}`);
  return holds.some(({ slot }) => slot === name) ? [name, ...slots] : slots;
}

/** The first ancestor without a free slot, unless somebody who holds it through the resource would not need another. */
const fullAncestorOf = ({ plan }: ResourceState): string | null =>
  plan.find(({ role, capacity, held, condition }) => role === 'ancestor' && (condition !== null || held >= capacity))
    ?.name ?? null;

const NOTHING: Below = { roots: [], children: new Map(), next: null };

async function readBelow(
  engine: DashboardDeps['engine'],
  credential: Viewer['credential'],
  state: ResourceState,
  after: string | undefined,
): Promise<Below> {
  const { resource, registered, free } = state;
  if (resource === null || registered === null) return NOTHING;
  const own = [...(registered.treePath === '' ? [] : registered.treePath.split(PATH_DELIMITER)), resource];
  const start = after?.split(PATH_DELIMITER) ?? own;
  const isBelow = own.every((name, i) => start[i] === name);
  const path = isBelow ? start : own;
  const first = await tree(engine, credential, path, BELOW).next();
  if (first.done === true) return NOTHING;
  const children = new Map<string, Row[]>();
  const isFull = registered.capacity !== null && free === 0;
  const shut = isFull ? resource : (fullAncestorOf(state) ?? '');
  const walked = [...path];
  let isAll = first.value.isLast;
  for (const row of first.value.rows) {
    if (row.depth < own.length) {
      isAll = true;
      break;
    }
    walked.length = row.depth;
    walked.push(row.name);
    const parent = row.parent ?? '';
    children.set(parent, [...(children.get(parent) ?? []), toRow(row, shut)]);
  }
  const shown = new Set([...children.values()].flat().map(({ name }) => name));
  // On a later page, the first nodes may be deeper: they stand at its top.
  const roots = [...children].flatMap(([parent, rows]) => (shown.has(parent) ? [] : rows));
  return { roots, children, next: isAll ? null : walked.join(PATH_DELIMITER) };
}

/**
 * Finds out what keeps new requesters from a resource, besides those who hold it.
 * @param name of a resource
 * @returns the first thing in the way; null: nothing is, or the resource itself is held
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
async function readInTheWay(engine: Engine, credential: Credential, name: string): Promise<Reason | null> {
  const { result } = await check(engine, credential, [{ resource: name }]);
  const { reason } = result[0] ?? {};
  return reason === undefined || reason.kind === 'SLOTS' ? null : reason;
}
