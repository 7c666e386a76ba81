/**
 * Reads what the Board shows: its rows, in their groups, with counts. Of the resources that are not on the page it
 * reads only what finding them needs (lab.ts).
 */
import type { Booking } from '../../contract/bookings.ts';
import { memoize } from '../../domain/firstUse.ts';
import type { Credential } from '../../domain/tenants.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import type { SessionUser } from '../../engine/tenant/signIns.ts';
import type { Standing } from '../../engine/waiting/list.ts';
import { isOwn } from '../../operations/permissions.ts';
import { readBookings } from '../bookings/read.ts';
import type { DashboardDeps } from '../env.ts';
import { type NameOf, namesOf, requestersOf } from '../people.ts';
import { type Frame, frameAt, weekFrame } from '../timeline/frame.ts';
import { MAX_LANES } from '../timeline/row.ts';
import {
  type Candidate,
  type Counts,
  candidatesOf,
  countAll,
  countValues,
  holdsOf,
  leftOutByOne,
  type Person,
  pageOf,
  type Section,
  sorted,
  wantedBy,
} from './find.ts';
import { groupBy } from './groupBy.ts';
import { type HeldFact, type Lab, readLab } from './lab.ts';
import { type BoardQuery, isFiltered } from './query.ts';
import { type BoardRow, boardRow } from './rows.ts';
import { readWaits } from './waits.ts';

/** Rows on a page. */
export const PAGE = 40;
/** Rows of a page of a wallboard, which nobody scrolls: with six heads of groups they fit a screen of 1080 lines. */
const TV_PAGE = 24;
/** Ended reservations that a page shows. */
const MAX_PAST = 300;
/** Bookings of a row that a page looks at. */
const MAX_BOOKINGS = 500;
/** Requesters whose names a search knows. */
const MAX_NAMES = 2000;

export interface BoardSection extends Omit<Section, 'rows'> {
  readonly rows: readonly BoardRow[];
}

export interface Board {
  readonly query: BoardQuery;
  readonly frame: Frame;
  readonly sections: readonly BoardSection[];
  /** Resource → since when the first waits for it, in ms since 1970 UTC. Of the table. */
  readonly waits: ReadonlyMap<string, number>;
  /** The number of rows of all pages that are wanted. */
  readonly total: number;
  readonly pages: number;
  readonly counts: Counts;
  /** The reservations of the person, of all pages. */
  readonly mine: readonly HeldFact[];
  /** The label keys that one may filter by, those of the most resources first. */
  readonly labelKeys: readonly string[];
  /** True if something can be booked. */
  readonly isBookable: boolean;
  readonly isPartial: boolean;
  readonly nameOf: NameOf;
  /** Counts the values of a label key, of the resources that the filters by everything else leave. */
  readonly countValues: (key: string) => ReadonlyMap<string, number>;
  /** Counts the rows of another query. */
  readonly count: (query: BoardQuery) => number;
}

export type BoardDeps = Pick<DashboardDeps, 'engine' | 'history' | 'memberships'>;

/** For whom the Board is read. */
export interface Reader {
  readonly credential: Credential;
  /** null: nobody has signed in, as on a wallboard */
  readonly user: SessionUser | null;
  /** Where the person waits. */
  readonly standings: readonly Standing[];
}

/** The time that a page shows. */
const frameOf = ({ span }: BoardQuery, zone: string): Frame =>
  span === 'today' ? frameAt(Date.now(), zone) : weekFrame(Date.now(), zone, span === 'week' ? 0 : 1);

/**
 * @param zone of the browser
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readBoard(deps: BoardDeps, reader: Reader, query: BoardQuery, zone: string): Promise<Board> {
  const { engine } = deps;
  const { credential, user, standings } = reader;
  const frame = frameOf(query, zone);
  const own = user === null ? [] : requestersOf(user);
  const lab = await readLab(engine, credential);
  const person: Person = {
    isOwn: (requester) => user !== null && isOwn(user, requester),
    waitsFor: new Set(standings.flatMap(({ resources, waitsFor }) => [...resources, waitsFor])),
  };
  const searchNames = query.q === '' ? plainName : await namesOf(deps, reader, searchedNames(lab));
  const all = candidatesOf(lab);
  const wanted = isFiltered(query) ? all.filter(wantedBy(query, lab, person, searchNames, frame.nowMs)) : all;
  const leftOut = memoize(() => {
    const others = { ...query, labels: [] };
    return leftOutByOne(all.filter(wantedBy(others, lab, person, searchNames, frame.nowMs)), query.labels);
  });
  const waits = query.view === 'table' ? await readWaits(engine, credential, lab) : NO_WAITS;
  const rows = query.sort === null ? wanted : sorted(wanted, query.sort, lab, waits);
  const { sections, pages } = pageOf(rows, query, query.view === 'tv' ? TV_PAGE : PAGE);
  const shown = sections.flatMap((section) => section.rows);
  const { byName, nameOf } = await readRows(deps, reader, shown, { lab, frame, person, query });
  return {
    query,
    frame,
    sections: sections.map((section) => withStates(section, byName, query)),
    waits,
    total: rows.length,
    pages,
    counts: corrected(countAll(lab), [...byName.values()]),
    mine: own.flatMap((requester) => holdsOf(lab).get(requester) ?? []),
    labelKeys: [...lab.labels.keys()],
    isBookable: lab.isBookable,
    isPartial: lab.isPartial,
    nameOf,
    countValues: (key) => {
      const values = lab.labels.get(key) ?? new Map<string, number>();
      if (!isFiltered(query)) return values;
      const alone =
        leftOut()
          .get(key)
          ?.map(({ row }) => row) ?? [];
      return countValues([...wanted, ...alone], key, values.keys());
    },
    count: (other) => all.filter(wantedBy(other, lab, person, plainName, frame.nowMs)).length,
  };
}

const NO_WAITS: ReadonlyMap<string, number> = new Map();

const plainName: NameOf = (requester) => requester;

/** The requesters whom a search may mean by their names. */
const searchedNames = ({ held }: Lab): Set<string> =>
  new Set(
    [...held.values()]
      .flat()
      .slice(0, MAX_NAMES)
      .map(({ requester }) => requester),
  );

interface RowContext {
  readonly lab: Lab;
  readonly frame: Frame;
  readonly person: Person;
  readonly query: BoardQuery;
}

async function readRows(
  deps: BoardDeps,
  reader: Reader,
  shown: readonly Candidate[],
  { lab, frame, person, query }: RowContext,
): Promise<{ readonly byName: ReadonlyMap<string, BoardRow>; readonly nameOf: NameOf }> {
  const { engine, history } = deps;
  const { credential, user } = reader;
  const names = shown.map(({ name }) => name);
  const hasTimeline = query.view === 'timeline' || query.view === 'tv';
  const [states, entries, booked] = await Promise.all([
    names.length === 0
      ? []
      : resourceStates(engine, credential, names, {
          slots: MAX_LANES,
          requesters: user === null ? [] : requestersOf(user),
        }),
    // A page does without the past rather than fail.
    hasTimeline ? history.recent(credential.tenant, names, new Date(frame.fromMs), MAX_PAST).catch(() => []) : [],
    hasTimeline ? bookedIn(engine, credential, shown, frame) : [],
  ]);
  const bookings = groupBy(booked, ({ resource }) => resource);
  const requesters = states.flatMap(({ name, slots, queue, blockedBy, notReady }) => [
    ...(bookings.get(name) ?? []).map(({ requester }) => requester),
    ...notReady.map(({ actor }) => actor ?? ''),
    ...[...slots.map(({ hold }) => hold), blockedBy?.hold ?? null].flatMap((hold) =>
      hold === null ? [] : [hold.holder, ...hold.sharers],
    ),
    ...queue.map(({ requester }) => requester),
  ]);
  const nameOf = await namesOf(deps, reader, [...requesters, ...entries.map(({ requester }) => requester)]);
  const past = groupBy(entries, ({ resource }) => resource);
  const parts = { lab, frame, nameOf, past, bookings, isOwn: person.isOwn };
  const nodes = new Map(shown.map(({ name, node }) => [name, node]));
  return {
    byName: new Map(states.map((state) => [state.name, boardRow(state, nodes.get(state.name) ?? null, parts)])),
    nameOf,
  };
}

/** The bookings of rows in the time that a page shows. A page does without them rather than fail. */
async function bookedIn(
  engine: BoardDeps['engine'],
  credential: Credential,
  shown: readonly Candidate[],
  { fromMs, toMs }: Frame,
): Promise<Booking[]> {
  const window = { from: Math.floor(fromMs / 1000), to: Math.ceil(toMs / 1000) };
  const rows = shown
    .filter(({ node }) => node?.isBookable)
    .map(({ name }) => readBookings(engine, credential, { resource: name, ...window }, MAX_BOOKINGS).catch(() => []));
  return (await Promise.all(rows)).flat();
}

/** True if the walk of all resources takes for free what a blocker keeps from everybody. */
const isBlocked = ({ state, shut }: BoardRow): boolean => state.blockedBy !== null && shut !== null;

function withStates(section: Section, byName: ReadonlyMap<string, BoardRow>, { on }: BoardQuery): BoardSection {
  const rows = section.rows.flatMap(({ name }) => byName.get(name) ?? []);
  const blocked = rows.filter(isBlocked).length;
  const shown = on.has('free') ? rows.filter((row) => !isBlocked(row)) : rows;
  return { ...section, free: section.free - blocked, rows: shown };
}

/** Counts with what only the states of the rows say: blockers, and who waits for names that are not registered. */
function corrected(counts: Counts, rows: readonly BoardRow[]): Counts {
  const others = rows.filter(({ state }) => !state.isRegistered);
  return {
    ...counts,
    free: counts.free - rows.filter(isBlocked).length,
    waiting: counts.waiting + others.reduce((sum, { state }) => sum + state.waiting, 0),
  };
}
