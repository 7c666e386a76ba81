/**
 * Exports of lists with a cursor: all rows, page by page in bounded memory, a read for each page.
 */
import type { Quota } from '../domain/quota.ts';
import type { OperationDeps } from './deps.ts';
import type { OpenList } from './lists.ts';

/** Rows that an export reads at a time, for one read. */
export const EXPORT_PAGE = 1000;

export interface ExportPage<Row, Cursor> {
  readonly rows: readonly Row[];
  /** What leads to the next page; null: there is none */
  readonly next: Cursor | null;
}

/** How an export reads its pages, and charges those after the first. */
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
