/**
 * Finds the names of what a person has or waits for, and of what ends soon, by walking the reservations.
 */
import { active } from '../../engine/reservations/active.ts';
import { waiting } from '../../engine/waiting/list.ts';
import { type BoardRequest, MAX_LOOKED_AT } from './query.ts';

/** What ends within this time ends soon, in ms. */
const SOON_MS = 600_000;

interface HeldNames {
  /** Sorted, as their requests had them. */
  readonly names: readonly string[];
  /** Whether some reservations or waiting requests were not read. */
  readonly isPartial: boolean;
}

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function namesWith(request: BoardRequest): Promise<HeldNames> {
  const { on } = request.query;
  const lists = await Promise.all([
    ...(on.has('mine') ? [mine(request)] : []),
    ...(on.has('expiring') ? [endingSoon(request)] : []),
  ]);
  const [first, ...others] = lists.map(({ names }) => new Set(names));
  const names = [...(first ?? [])].filter((name) => others.every((one) => one.has(name))).sort();
  return { names, isPartial: lists.some(({ isPartial }) => isPartial) };
}

async function mine({ engine, credential, requesters }: BoardRequest): Promise<HeldNames> {
  const walks = requesters.flatMap((requester) => [
    walk(active(engine, credential, { requester }), ({ resource }) => [resource]),
    walk(waiting(engine, credential, { requester }), ({ resources, method, waitsFor }) =>
      method === null ? resources : [...resources, waitsFor],
    ),
  ]);
  const lists = await Promise.all(walks);
  return { names: lists.flatMap(({ names }) => names), isPartial: lists.some(({ isPartial }) => isPartial) };
}

/** A session is kept by a heartbeat, so its reservations do not count. */
const endingSoon = ({ engine, credential }: BoardRequest): Promise<HeldNames> => {
  const soon = Date.now() + SOON_MS;
  return walk(active(engine, credential), ({ resource, expiresAt, session }) =>
    expiresAt !== null && session === undefined && Date.parse(expiresAt) <= soon ? [resource] : [],
  );
};

/** Pages of a list that are read: as many as MAX_LOOKED_AT items take. */
const MAX_PAGES = MAX_LOOKED_AT / 400;

async function walk<Row>(
  list: AsyncIterable<{ readonly rows: readonly Row[] }>,
  namesIn: (row: Row) => readonly string[],
): Promise<HeldNames> {
  const names: string[] = [];
  let pages = 0;
  for await (const { rows } of list) {
    if (pages++ === MAX_PAGES) return { names, isPartial: true };
    for (const row of rows) names.push(...namesIn(row));
  }
  return { names, isPartial: false };
}
