/**
 * Reads the audit trail (docs/specification.md#audit-trail): of one tenant for those who have the right, of all for
 * administrators. A page costs one read; an export costs one for each 1,000 entries. Administrators pay nothing.
 */
import type { Charged } from '../domain/quota.ts';
import { type AuditFilter, type AuditRow, auditPage } from '../store/audit.ts';
import type { Store } from '../store/records.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { EXPORT_PAGE, type Export, type OpenList, openExport } from './lists.ts';
import type { Actor } from './permissions.ts';

type AuditDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'> & { readonly store: Store };

/** A page of the trail, the latest entries first. */
export interface AuditPage {
  readonly entries: readonly AuditRow[];
  /** The `before` of the next page; null: there is none */
  readonly next: number | null;
}

/**
 * Reads a page of any tenants' entries, for administrators.
 * @param before the id of an entry: only older entries are read
 * @throws HoldfastError unavailable
 */
export async function anyTrail(
  { database }: Store,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<AuditPage> {
  // One more, which says whether there is a next page.
  const rows = await auditPage(database, filter, before, limit + 1);
  const entries = rows.slice(0, limit);
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/**
 * Reads a page of the caller's tenant.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const readTrail = (
  deps: AuditDeps,
  { credential }: Actor,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<Charged<AuditPage>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'audit'), () =>
      anyTrail(deps.store, { ...filter, tenant: credential.tenant }, before, limit),
    ),
  );

/**
 * Exports the entries of the caller's tenant.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const exportTrail = async (
  deps: AuditDeps,
  { credential }: Actor,
  filter: AuditFilter,
): Promise<OpenList<AuditRow>> => {
  const quota = await countUse(deps, credential, deps.reads.charge(credential, 'audit'));
  const own = { ...filter, tenant: credential.tenant };
  return openExport(
    deps,
    credential.tenant,
    quota,
    exportOf(deps.store, own, () => deps.reads.debit(credential)),
  );
};

/**
 * Exports any tenants' entries, for administrators.
 * @throws HoldfastError unavailable; LimitError if too many lists are read at the same time
 */
export const exportAnyTrail = (
  deps: Pick<AuditDeps, 'listings' | 'store'>,
  { credential }: Actor,
  filter: AuditFilter,
): Promise<OpenList<AuditRow>> =>
  openExport(
    deps,
    credential.tenant,
    [],
    exportOf(deps.store, filter, async () => {}),
  );

const exportOf = ({ database }: Store, filter: AuditFilter, debit: () => Promise<void>): Export<AuditRow, number> => ({
  readPage: async (before) => {
    const rows = await auditPage(database, filter, before, EXPORT_PAGE);
    return { rows, next: rows.length < EXPORT_PAGE ? null : (rows.at(-1)?.id ?? null) };
  },
  debit,
});
