/**
 * Reads the history of the caller's tenant (docs/specification.md#history). A page costs one read; an export costs one
 * for each 1,000 entries.
 */
import type { HistoryFilter, PastEntry, PastPage } from '../domain/history.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { EXPORT_PAGE, openExport } from './exports.ts';
import type { OpenList } from './lists.ts';

type HistoryDeps = Pick<OperationDeps, 'activity' | 'reads' | 'listings' | 'history'>;

/**
 * Reads a page, the latest entries first.
 * @param cursor `next` of the page before; undefined: the first page
 * @throws HoldfastError refused if the cursor is none; unauthenticated, forbidden, unavailable; LimitError
 */
export const readHistory = (
  deps: HistoryDeps,
  credential: Credential,
  filter: HistoryFilter,
  cursor: string | undefined,
  limit: number,
): Promise<Charged<PastPage>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'read'), () => deps.history.page(credential.tenant, filter, cursor, limit)),
  );

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
