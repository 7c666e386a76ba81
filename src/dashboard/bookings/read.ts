/**
 * Reads bookings for pages, and when a booking would fit.
 */
import type { Booking } from '../../contract/bookings.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { Credential } from '../../domain/tenants.ts';
import { type BookingFilter, bookings } from '../../engine/bookings.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LabNode, readLab } from '../board/lab.ts';
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
export type Wanted = { readonly resource: string } | AnyOf;

interface AnyOf {
  /** Key → the values of which a resource has one. */
  readonly match: Readonly<Record<string, readonly string[]>>;
  /** The path of the group that it is in; '' whichever */
  readonly group: string;
  /** The resource that it replaces: it is another one, and in service; '' none */
  readonly insteadOf: string;
}

/** True if all of it is out of service now. */
const isOut = ({ capacity, outOfService }: LabNode): boolean => outOfService === capacity;

/** Sorts by this put what is in service first, and single things before pools. */
const rankOf = (node: LabNode): number => (isOut(node) ? 2 : 0) + (node.capacity === 1 ? 0 : 1);

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
  const starts =
    'resource' in wanted
      ? await nextTimes(engine, viewer, [wanted.resource], times, moved)
      : (await choicesOf(engine, viewer, wanted, times)).map(({ startMs }) => startMs);
  const first = Math.min(...starts, Number.POSITIVE_INFINITY);
  return first < times.startMs + AHEAD_S * 1000 ? first : null;
}

/** A resource that fits. */
export interface Choice {
  readonly name: string;
  /** The path of its group; '' none */
  readonly group: string;
  /** The first time, from a start on, at which it is free for as long as wanted. */
  readonly startMs: number;
  /** True if all of it is out of service now. */
  readonly isOut: boolean;
}

/**
 * Finds the bookable resources that fit, and when each is free. They are sorted by that time; those of one time, by
 * rankOf().
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function choicesOf(engine: Engine, viewer: Viewer, wanted: AnyOf, times: Times): Promise<Choice[]> {
  const { nodes } = await readLab(engine, viewer.credential);
  const isIn = ({ group }: LabNode) => `${group}${PATH_DELIMITER}`.startsWith(`${wanted.group}${PATH_DELIMITER}`);
  const fits = nodes
    .filter(
      (node) =>
        node.isBookable &&
        (wanted.group === '' || isIn(node)) &&
        (wanted.insteadOf === '' || (node.name !== wanted.insteadOf && !isOut(node))) &&
        Object.entries(wanted.match).every(([key, values]) => values.includes(node.labels[key] ?? '')),
    )
    .sort((one, other) => rankOf(one) - rankOf(other))
    .slice(0, MAX_RESOURCES);
  const starts = await nextTimes(
    engine,
    viewer,
    fits.map(({ name }) => name),
    times,
  );
  return fits
    .map((node, i) => ({
      name: node.name,
      group: node.group,
      startMs: starts[i] ?? Number.POSITIVE_INFINITY,
      isOut: isOut(node),
    }))
    .sort((one, other) => (one.startMs === other.startMs ? 0 : one.startMs - other.startMs));
}

/** The first time, from a start on, at which each of some resources is free. */
async function nextTimes(
  engine: Engine,
  viewer: Viewer,
  names: readonly string[],
  { startMs, endMs }: Times,
  moved?: string,
): Promise<number[]> {
  const { credential } = viewer;
  const from = Math.floor(startMs / 1000);
  const window = { from, to: from + AHEAD_S };
  const cares = await Promise.all(names.map((name) => readCare(engine, credential, name)));
  // A slot's name is that of a pool's place: its bookings are those of the pool.
  const [only] = cares;
  const filter = only === undefined || cares.length > 1 ? window : { resource: only.resource, ...window };
  const booked = (await readBookings(engine, credential, filter)).filter(({ booking }) => booking !== moved);
  const isMine = isOwnOf(viewer);
  return cares.map(({ slots, holds }) => {
    const inTheWay = holds.filter(({ hold }) => !isMine(hold.holder));
    const taken = slotsOf({ slots, holds: inTheWay }, booked);
    return Math.min(...taken.map((times) => nextFit(times, startMs, endMs - startMs)));
  });
}

/**
 * Returns what a form asks for that books another resource like a registered one: its group, if that has others to book
 * that are in service, and as many of its labels as one of those has.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function likeOf(engine: Engine, credential: Credential, name: string) {
  const { nodes } = await readLab(engine, credential);
  const { labels = {}, group = '' } = nodes.find((node) => node.name === name) ?? {};
  const others = nodes.filter((node) => node.name !== name && node.isBookable && !isOut(node));
  const near = others.filter((node) => node.group === group);
  let left = near.length > 0 ? near : others;
  const shared = Object.entries(labels).filter(([key, value]) => {
    const alike = left.filter((node) => node.labels[key] === value);
    if (alike.length > 0) left = alike;
    return alike.length > 0;
  });
  return { match: labelsText(shared.map((label) => label.join('='))), group: near.length > 0 ? group : '' };
}

type Holds = Pick<Awaited<ReturnType<typeof readCare>>, 'slots' | 'holds'>;

/** The slots of a resource, each with the times for which it is booked or held. */
export const slotsOf = ({ slots, holds }: Holds, booked: readonly Booking[]): Taken[] =>
  slots.map((slot) => [
    ...holds.filter((one) => one.slot === slot).map(({ hold }) => heldFor(hold)),
    ...booked.filter((one) => one.slot === slot).map(stretchOf),
  ]);
