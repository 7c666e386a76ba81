/**
 * Reads the history of the caller's tenant (docs/specification.md#history). A page with a database costs one read.
 * Everything else costs one read for each 1,000 entries that are looked at.
 */
import type { History, HistoryFilter, PastEntry, PastPage } from '../domain/history.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { EXPORT_PAGE, type OpenList, openExport } from './lists.ts';

type HistoryDeps = Pick<OperationDeps, 'activity' | 'reads' | 'listings' | 'history'>;

/** Reads that a page takes at most. With a filter that hardly any entry fits, it ends before it is full. */
const MAX_READS = 100;

/**
 * Reads a page, read by read until it is full.
 * @param payMore called before each read after the first
 * @returns the page: `next` may lead to older entries although it is not full
 * @throws HoldfastError refused if the cursor is none; unavailable; the errors of payMore()
 */
export async function fillPage(
  history: Pick<History, 'page'>,
  tenant: string,
  filter: HistoryFilter,
  cursor: string | undefined,
  limit: number,
  payMore: () => Promise<void>,
): Promise<PastPage> {
  let { entries, next } = await history.page(tenant, filter, cursor, limit);
  for (let reads = 1; entries.length < limit && next !== null && reads < MAX_READS; reads++) {
    await payMore();
    const more = await history.page(tenant, filter, next, limit - entries.length);
    entries = [...entries, ...more.entries];
    next = more.next;
  }
  return { entries, next };
}

/**
 * Reads a page, the latest entries first. One that takes several reads counts as a long list.
 * @param cursor `next` of the page before; undefined: the first page
 * @throws HoldfastError refused if the cursor is none; unauthenticated, forbidden, unavailable; LimitError
 */
export const readHistory = (
  deps: HistoryDeps,
  credential: Credential,
  filter: HistoryFilter,
  cursor: string | undefined,
  limit: number,
): Promise<Charged<PastPage>> => {
  const read = async () => {
    let close: (() => void) | undefined;
    const payMore = () => {
      close ??= deps.listings.begin(credential.tenant);
      return deps.reads.debit(credential);
    };
    try {
      return await fillPage(deps.history, credential.tenant, filter, cursor, limit, payMore);
    } finally {
      close?.();
    }
  };
  return countUse(deps, credential, charged(deps.reads.charge(credential, 'read'), read));
};

/**
 * Exports all entries.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function exportHistory(
  deps: HistoryDeps,
  credential: Credential,
  filter: HistoryFilter,
): Promise<OpenList<PastEntry>> {
  const { tenant } = credential;
  const quota = await countUse(deps, credential, deps.reads.charge(credential, 'read'));
  return openExport(deps, tenant, quota, {
    readPage: async (cursor: string | undefined) => {
      const { entries, next } = await deps.history.page(tenant, filter, cursor, EXPORT_PAGE);
      return { rows: entries, next };
    },
    debit: () => deps.reads.debit(credential),
  });
}
