/**
 * Reads bookings for pages, and when a booking would fit.
 */
import type { Booking } from '../../contract/bookings.ts';
import type { Credential } from '../../domain/tenants.ts';
import { type BookingFilter, bookings } from '../../engine/bookings.ts';
import type { Engine } from '../../engine/engine.ts';
import { readLab } from '../board/lab.ts';
import type { Viewer } from '../env.ts';
import { isOwnOf } from '../people.ts';
import { readCare } from '../resource/careOf.ts';
import { nextFit, type Stretch } from '../timeline/fit.ts';
import { labelsText } from '../words/labels.ts';
import { fullMinute, type Times } from './form.ts';
import type { Taken } from './week.ts';

const DAY_S = 86_400;
/** How far ahead a time is looked for. */
const AHEAD_S = 14 * DAY_S;
/** Resources with the wanted labels that are looked at, and bookings. */
const MAX_RESOURCES = 25;
const MAX_BOOKINGS = 5000;

/**
 * @param most the most that are returned
 * @returns bookings in order of their start
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readBookings(
  engine: Engine,
  credential: Credential,
  filter: BookingFilter,
  most = MAX_BOOKINGS,
): Promise<Booking[]> {
  const all: Booking[] = [];
  for await (const { rows } of bookings(engine, credential, filter)) {
    all.push(...rows);
    if (all.length >= most) break;
  }
  return all.slice(0, most);
}

/** Finds a booking of a resource. @returns null: there is none, or it is over */
export async function readBooking(
  engine: Engine,
  credential: Credential,
  resource: string,
  id: string,
): Promise<Booking | null> {
  return (await readBookings(engine, credential, { resource })).find(({ booking }) => booking === id) ?? null;
}

export const stretchOf = ({ start, end }: Pick<Booking, 'start' | 'end'>): Stretch => ({
  fromMs: Date.parse(start),
  toMs: Date.parse(end),
});

/** When a slot is held: by now, and until the full minute after its end, since bookings begin at whole seconds. */
export const heldFor = (hold: { readonly until: string | null; readonly hasSession: boolean }): Stretch => ({
  fromMs: 0,
  toMs: hold.until === null || hold.hasSession ? Number.POSITIVE_INFINITY : fullMinute(Date.parse(hold.until)),
});

/** What a booking wants: a resource, or labels of any that fits. */
export type Wanted = { readonly resource: string } | { readonly match: Readonly<Record<string, readonly string[]>> };

/**
 * Finds the first time, from a start on, that is free for as long as wanted. The person's own leases do not count.
 * @param moved the booking that is to be moved, which does not count either
 * @returns its start in ms since 1970 UTC; null: there is none within two weeks
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function nextTime(
  engine: Engine,
  viewer: Viewer,
  wanted: Wanted,
  times: Times,
  moved?: string,
): Promise<number | null> {
  const { credential } = viewer;
  const names =
    'resource' in wanted
      ? [wanted.resource]
      : (await namesWith(engine, credential, wanted.match)).slice(0, MAX_RESOURCES);
  const from = Math.floor(times.startMs / 1000);
  const window = { from, to: from + AHEAD_S };
  const cares = await Promise.all(names.map((name) => readCare(engine, credential, name)));
  // A slot's name is that of a pool's place: its bookings are those of the pool.
  const [only] = 'resource' in wanted ? cares : [];
  const filter = only === undefined ? window : { resource: only.resource, ...window };
  const booked = (await readBookings(engine, credential, filter)).filter(({ booking }) => booking !== moved);
  const slots = cares.flatMap((care) => slotsOf(care, booked, viewer));
  const starts = slots.map((taken) => nextFit(taken, times.startMs, times.endMs - times.startMs));
  const first = Math.min(...starts, Number.POSITIVE_INFINITY);
  return first < window.to * 1000 ? first : null;
}

/** Returns the labels of a registered resource, as forms that book have them; '' it has none */
export async function labelsOf(engine: Engine, credential: Credential, name: string): Promise<string> {
  const { nodes } = await readLab(engine, credential);
  const { labels = {} } = nodes.find((node) => node.name === name) ?? {};
  return labelsText(Object.entries(labels).map(([key, value]) => `${key}=${value}`));
}

/**
 * Returns the names of the bookable resources that have some labels.
 * @param match key → the values of which a resource has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function namesWith(
  engine: Engine,
  credential: Credential,
  match: Readonly<Record<string, readonly string[]>>,
): Promise<string[]> {
  const { nodes } = await readLab(engine, credential);
  const fits = nodes.filter(
    ({ isBookable, labels }) =>
      isBookable && Object.entries(match).every(([key, values]) => values.includes(labels[key] ?? '')),
  );
  return fits.map(({ name }) => name);
}

type Holds = Pick<Awaited<ReturnType<typeof readCare>>, 'slots' | 'holds'>;

/** The slots of a resource, each with the times for which it is taken. */
export function slotsOf({ slots, holds }: Holds, booked: readonly Booking[], viewer: Viewer): Taken[] {
  const isMine = isOwnOf(viewer);
  return slots.map((slot) => [
    ...holds.filter((one) => one.slot === slot && !isMine(one.hold.holder)).map(({ hold }) => heldFor(hold)),
    ...booked.filter((one) => one.slot === slot).map(stretchOf),
  ]);
}
