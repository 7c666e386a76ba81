/**
 * Lists of a tenant's reservations, bookings and definitions, page by page in bounded memory. A list costs one read for
 * each 1,000 items that it reads, all charged before the first page is returned. Large rows cost more.
 */

import type { BookingFilter } from '../contract/bookings.ts';
import type { Definition } from '../contract/definitions.ts';
import type { ActiveFilter } from '../contract/reservations.ts';
import type { WaitingFilter } from '../contract/waiting.ts';
import { afterCharge } from '../domain/errors.ts';
import type { Quota } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import { bookings } from '../engine/bookings.ts';
import * as definitionList from '../engine/definitions/list.ts';
import { yieldToLoop } from '../engine/pace.ts';
import { active } from '../engine/reservations/active.ts';
import { sessions } from '../engine/sessions.ts';
import { waiting } from '../engine/waiting/list.ts';
import { countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';

/** Items that one read pays for. */
const ITEMS_PER_READ = 1000;
/** Pages that one read pays for. A page has fewer rows if these are large. */
const PAGES_PER_READ = 3;

type ListDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>;
type Page<Row> = definitionList.Page<Row>;

/** A list that has been charged. */
export interface OpenList<Row> {
  readonly quota: readonly Quota[];
  /** True if the first page is the whole list. */
  readonly isShort: boolean;
  /** The rows of each page. Throws HoldfastError unauthenticated, forbidden, unavailable. */
  readonly pages: AsyncGenerator<readonly Row[]>;
  /** Call it once the list has been read, or its reader has gone. */
  readonly close: () => void;
}

/** The tenant's active reservations, unordered. */
export const listReservations = (deps: ListDeps, credential: Credential, filter?: ActiveFilter) =>
  openList(deps, credential, 'read', active(deps.engine, credential, filter, 1));

/** The tenant's tickets, in the order of the queue. */
export const listWaiting = (deps: ListDeps, credential: Credential, filter?: WaitingFilter) =>
  openList(deps, credential, 'read', waiting(deps.engine, credential, filter, 1));

/** The tenant's sessions, unordered. */
export const listSessions = (deps: ListDeps, credential: Credential) =>
  openList(deps, credential, 'read', sessions(deps.engine, credential, 1));

/** The tenant's bookings that are not over, in the order of their starts. */
export const listBookings = (deps: ListDeps, credential: Credential, filter: BookingFilter) =>
  openList(deps, credential, 'read', bookings(deps.engine, credential, filter, 1));

/** The tenant's definitions, sorted by name. */
export const listDefinitions = (
  deps: ListDeps,
  credential: Credential,
  wanted?: definitionList.Wanted,
): Promise<OpenList<Definition>> =>
  openList(deps, credential, 'definitions', definitionList.definitions(deps.engine, credential, wanted, 1));

/** The tenant's definitions from the roots down, each with its free slots. */
export const listTree = (deps: ListDeps, credential: Credential): Promise<OpenList<definitionList.TreeRow>> =>
  openList(deps, credential, 'definitions', definitionList.tree(deps.engine, credential, [], undefined, 1));

/**
 * Reads the first page of a list, and charges the list.
 * @param pages its first page is charged with a read
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
const openList = <Row>(
  deps: ListDeps,
  credential: Credential,
  right: Right,
  pages: AsyncGenerator<Page<Row>>,
): Promise<OpenList<Row>> => countUse(deps, credential, chargeList(deps, credential, right, pages));

async function chargeList<Row>(
  { reads, listings }: ListDeps,
  credential: Credential,
  right: Right,
  pages: AsyncGenerator<Page<Row>>,
): Promise<OpenList<Row>> {
  const first = await pages.next();
  const quota = first.done === true ? [] : first.value.quota;
  return afterCharge(quota, async () => {
    if (first.done === true || first.value.isLast)
      return { quota, isShort: true, pages: rowsOf(first, pages), close: () => {} };
    const close = listings.begin(credential.tenant);
    try {
      const more = Math.max(0, Math.ceil(first.value.total / ITEMS_PER_READ) - 1);
      const left = more === 0 ? quota : await reads.charge(credential, right, more);
      const debit = () => reads.debit(credential);
      return { quota: left, isShort: false, pages: rowsOf(first, pages, 1 + more, debit), close };
    } catch (error) {
      close();
      throw error;
    }
  });
}

/**
 * Yields the rows of each page.
 * @param paid reads that were charged. More pages than these pay for are charged one by one.
 */
async function* rowsOf<Row>(
  first: IteratorResult<Page<Row>>,
  rest: AsyncGenerator<Page<Row>>,
  paid = Number.POSITIVE_INFINITY,
  debit: () => Promise<void> = async () => {},
): AsyncGenerator<readonly Row[]> {
  let looks = 0;
  let reads = paid;
  for (let page = first; page.done !== true; page = await rest.next()) {
    if (++looks > reads * PAGES_PER_READ) {
      reads++;
      await debit();
    }
    await yieldToLoop();
    yield page.value.rows;
  }
}

/** Rows that an export of a list with a cursor reads at a time, for one read. */
export const EXPORT_PAGE = 1000;

export interface ExportPage<Row, Cursor> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; null: there is none */
  readonly next: Cursor | null;
}

/** Reads the pages of an export, and charges those after the first. */
export interface Export<Row, Cursor> {
  readPage(cursor: Cursor | undefined): Promise<ExportPage<Row, Cursor>>;
  debit(): Promise<void>;
}

/**
 * Reads the first page of an export, which has been charged.
 * @throws LimitError if the tenant has too many lists in flight; the errors of readPage()
 */
export async function openExport<Row, Cursor>(
  { listings }: Pick<OperationDeps, 'listings'>,
  tenant: string,
  quota: readonly Quota[],
  list: Export<Row, Cursor>,
): Promise<OpenList<Row>> {
  const close = listings.begin(tenant);
  try {
    const first = await list.readPage(undefined);
    const isShort = first.next === null;
    if (isShort) close();
    return { quota, isShort, pages: pagesFrom(first, list), close: isShort ? () => {} : close };
  } catch (error) {
    close();
    throw error;
  }
}

async function* pagesFrom<Row, Cursor>(
  first: ExportPage<Row, Cursor>,
  { readPage, debit }: Export<Row, Cursor>,
): AsyncGenerator<readonly Row[]> {
  for (let page = first; ; ) {
    yield page.rows;
    if (page.next === null) return;
    await debit();
    page = await readPage(page.next);
  }
}
