/**
 * Finds the rows of the Board among all resources of a tenant, and counts them: by text, labels and status. No I/O.
 */
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { NameOf } from '../people.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import { groupBy } from './groupBy.ts';
import type { HeldFact, Lab, LabNode } from './lab.ts';
import { type BoardQuery, keyOfLabel, type Sort, type Status } from './query.ts';

/** A reservation ends soon if it ends within this time, in ms. */
const SOON_MS = 600_000;
/** A reservation without an end needs a look after this time, in ms: it was made for a working day, if that. */
const STALE_MS = 8 * 3_600_000;
/** The same while somebody waits for the resource. */
const WANTED_STALE_MS = 3_600_000;

/** The person who looks at the Board. */
export interface Person {
  readonly isOwn: (requester: string) => boolean;
  /** The resources that the person waits for. */
  readonly waitsFor: ReadonlySet<string>;
}

/** A resource that can have a row. */
export interface Candidate {
  readonly name: string;
  /** null: it is not registered */
  readonly node: LabNode | null;
}

export interface Found {
  readonly rows: readonly Candidate[];
  /** Of everything, whatever the filters are. */
  readonly counts: Counts;
}

export interface Counts {
  readonly all: number;
  readonly free: number;
  readonly used: number;
  readonly waiting: number;
  readonly notReady: number;
  readonly look: number;
}

/**
 * True if somebody should look at a reservation, which may be forgotten: it has no end, and is old.
 * @param waiting how many wait for the resource
 */
export const isStale = (
  { sinceMs, untilMs, hasSession }: Pick<HeldFact, 'sinceMs' | 'untilMs' | 'hasSession'>,
  waiting: number,
  now: number,
) => untilMs === null && !hasSession && now - sinceMs > (waiting > 0 ? WANTED_STALE_MS : STALE_MS);

const NONE: readonly HeldFact[] = [];

/**
 * Keeps what a function makes of a part of a lab, as long as that part: large labs are read once for many pages, and to
 * walk 10,000 resources takes a page longer than to draw its 40 rows.
 */
function once<Part extends object, Made>(make: (part: Part) => Made): (part: Part) => Made {
  const made = new WeakMap<Part, Made>();
  return (part) => {
    const known = made.get(part) ?? make(part);
    made.set(part, known);
    return known;
  };
}

export const candidatesOf = once(({ nodes, unregistered }: Lab): readonly Candidate[] => [
  ...nodes.map((node) => ({ name: node.name, node })),
  ...unregistered.map((name) => ({ name, node: null })),
]);

/** Requester → its reservations. */
export const holdsOf = once(({ held }: Lab) => groupBy([...held.values()].flat(), ({ requester }) => requester));

/** True if somebody can take it, as far as it and its ancestors decide that. */
const isFree = ({ node }: Candidate): boolean => node !== null && (node.available ?? 0) > 0 && !node.isShut;
const isWaitedFor = ({ node }: Candidate): boolean => node !== null && node.waiting > 0;
/** True if a slot of it is out of service, or has to be cleaned. */
const isNotReady = ({ node }: Candidate): boolean => node !== null && node.outOfService + node.dirty > 0;

/** True if no slot can be had, and not only because none is ready. */
const isUsed = ({ name, node }: Candidate, { held }: Lab): boolean =>
  node === null || (node.available === 0 && (node.outOfService + node.dirty < (node.capacity ?? 0) || held.has(name)));

/** True if somebody should look at it: it is out of service, or its reservation is stale. */
const needsLook = ({ name, node }: Candidate, { held }: Lab, nowMs: number): boolean =>
  (node !== null && node.outOfService > 0) ||
  (held.get(name) ?? NONE).some((one) => isStale(one, node?.waiting ?? 0, nowMs));

/** Counts everything, at the time of the first page that asks. */
export const countAll = once((lab: Lab): Counts => {
  const nowMs = Date.now();
  const all = candidatesOf(lab);
  const count = (has: (one: Candidate) => boolean) => all.filter(has).length;
  return {
    all: all.length,
    free: count(isFree),
    used: count((one) => isUsed(one, lab)),
    waiting: lab.nodes.reduce((sum, { waiting }) => sum + waiting, 0),
    notReady: count(isNotReady),
    look: count((one) => needsLook(one, lab, nowMs)),
  };
});

/** Returns a function that says whether a row is wanted. */
export function wantedBy(
  { q, labels, on }: Pick<BoardQuery, 'q' | 'labels' | 'on'>,
  lab: Lab,
  { isOwn, waitsFor }: Person,
  nameOf: NameOf,
  nowMs: number,
): (one: Candidate) => boolean {
  const { held } = lab;
  const text = q.toLowerCase();
  const ofKey = groupBy(labels, keyOfLabel);
  const wanted = [...ofKey.values()].map((values) => new Set(values));
  const texts = ({ name, node }: Candidate) => [
    name,
    ...(node === null ? [] : [node.group.replaceAll(PATH_DELIMITER, ' '), ...labelTexts(node.labels)]),
    ...(held.get(name) ?? NONE).flatMap(({ requester, note }) => [requester, nameOf(requester), note]),
  ];
  const hasStatus: Readonly<Record<Status, (one: Candidate) => boolean>> = {
    free: isFree,
    used: (one) => isUsed(one, lab),
    waiting: isWaitedFor,
    notready: isNotReady,
    unregistered: ({ node }) => node === null,
    mine: ({ name }) => waitsFor.has(name) || (held.get(name) ?? NONE).some(({ requester }) => isOwn(requester)),
    look: (one) => needsLook(one, lab, nowMs),
    expiring: ({ name }) =>
      (held.get(name) ?? NONE).some(({ untilMs }) => untilMs !== null && untilMs <= nowMs + SOON_MS),
    noend: ({ name }) => (held.get(name) ?? NONE).some(({ untilMs, hasSession }) => untilMs === null && !hasSession),
  };
  const statuses = [...on].map((status) => hasStatus[status]);
  return (one) =>
    statuses.every((has) => has(one)) &&
    (wanted.length === 0 || (one.node !== null && hasLabels(labelTexts(one.node.labels), wanted))) &&
    (text === '' || texts(one).some((each) => each.toLowerCase().includes(text)));
}

interface Labelled {
  readonly node: Pick<LabNode, 'labels'> | null;
}

/**
 * Finds the rows that the labels of one key alone leave out, for the counts of its menu.
 * @param rows that everything but labels leaves
 * @param labels `<key>=<value>`: of each key, a row must have one
 * @returns key → rows
 */
export function leftOutByOne<Row extends Labelled>(rows: readonly Row[], labels: readonly string[]) {
  const wanted = [...groupBy(labels, keyOfLabel)].map(([key, all]) => ({ key, all: new Set(all) }));
  return groupBy(
    rows.flatMap((row) => {
      const own = row.node?.labels ?? {};
      const [first, second] = wanted.filter(({ key, all }) => !all.has(`${key}=${own[key]}`));
      return first !== undefined && second === undefined ? [{ key: first.key, row }] : [];
    }),
    ({ key }) => key,
  );
}

/** Counts those of the values of a label key that are known, among some rows. */
export function countValues(
  rows: readonly Labelled[],
  key: string,
  values: Iterable<string>,
): ReadonlyMap<string, number> {
  const counts = new Map([...values].map((value) => [value, 0]));
  for (const { node } of rows) {
    const value = node?.labels[key];
    const before = value === undefined ? undefined : counts.get(value);
    if (value !== undefined && before !== undefined) counts.set(value, before + 1);
  }
  return counts;
}

const hasLabels = (texts: readonly string[], wanted: readonly ReadonlySet<string>[]) =>
  wanted.every((values) => texts.some((text) => values.has(text)));

/**
 * Sorts rows by a column of the table. Rows that are alike in it keep their order.
 * @param waits resource → since when the first waits for it
 */
export function sorted(
  rows: readonly Candidate[],
  by: Sort,
  { held }: Lab,
  waits: ReadonlyMap<string, number>,
): Candidate[] {
  if (by === 'name') return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const rankOf = ({ name }: Candidate): number =>
    by === 'waiting'
      ? (waits.get(name) ?? Number.MAX_VALUE)
      : Math.min(Number.MAX_VALUE, ...(held.get(name) ?? NONE).map(({ sinceMs }) => sinceMs));
  const ranks = new Map(rows.map((one) => [one, rankOf(one)]));
  return rows.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

/** A group of rows. */
export interface Section {
  /** The path of its group; '' none */
  readonly group: string;
  readonly isRegistered: boolean;
  /** Of all its rows that are wanted, also of those on other pages. */
  readonly total: number;
  readonly free: number;
  readonly isFolded: boolean;
  /** Those of this page. */
  readonly rows: readonly Candidate[];
}

/**
 * Cuts a page out of the rows, and puts them into their groups. Rows of folded groups are left out. Rows that are
 * sorted stay together, as without groups.
 */
export function pageOf(
  rows: readonly Candidate[],
  { folded: wanted, page, sort }: Pick<BoardQuery, 'folded' | 'page' | 'sort'>,
  size: number,
): { readonly sections: readonly Section[]; readonly pages: number } {
  const folded = sort === null ? wanted : [];
  const groups = sort === null ? sectionsOf(rows) : [{ group: '', own: rows, free: freeOf(rows) }];
  const open = groups.flatMap(({ group, own }) => (folded.includes(group) ? [] : own));
  const pages = Math.max(1, Math.ceil(open.length / size));
  const from = (Math.min(page, pages) - 1) * size;
  const shown = new Set(open.slice(from, from + size));
  const sections = groups.flatMap(({ group, own, free }): Section[] => {
    const isFolded = folded.includes(group);
    const here = own.filter((one) => shown.has(one));
    if (here.length === 0 && !(isFolded && from === 0)) return [];
    const isRegistered = sort !== null || own[0]?.node !== null;
    return [{ group, isRegistered, total: own.length, free, isFolded, rows: isFolded ? [] : here }];
  });
  return { sections, pages };
}

/** The section of names that are not registered. No path has the control character. */
export const UNREGISTERED = '\x7f';
const sectionOf = ({ node }: Candidate): string => (node === null ? UNREGISTERED : node.group);

const freeOf = (rows: readonly Candidate[]): number => rows.filter(isFree).length;

const sectionsOf = once((rows: readonly Candidate[]) =>
  [...groupBy(rows, sectionOf)].map(([group, own]) => ({ group, own, free: freeOf(own) })),
);
