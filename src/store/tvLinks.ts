/**
 * A tenant's links to its Board for screens on a wall (docs/specification.md#wallboards). Only digests of their tokens
 * are kept.
 */
import { and, asc, count, eq } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Author } from './audit.ts';
import { changeRecord, type Store } from './records.ts';
import { tenants, tvLinks } from './schema.ts';

export const MAX_LINKS = 20;

export interface TvLink {
  readonly id: string;
  readonly label: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** A link that somebody follows. */
export interface FollowedLink extends Pick<TvLink, 'id' | 'label'> {
  readonly tenant: string;
  readonly tenantName: string;
}

const { id, label, createdBy, createdAt } = tvLinks;
const COLUMNS = { id, label, createdBy, createdAt };

/** Lists all links of a tenant, the oldest first. @throws HoldfastError unavailable */
export const listLinks = ({ database }: Store, tenant: string): Promise<TvLink[]> =>
  database
    .of(tenant)
    .run((db) => db.select(COLUMNS).from(tvLinks).where(eq(tvLinks.tenantId, tenant)).orderBy(asc(createdAt), asc(id)));

/** Finds a link by the digest of its token; null: there is none. @throws HoldfastError unavailable */
export async function findLink({ database }: Store, digest: string): Promise<FollowedLink | null> {
  const columns = { id, label, tenant: tvLinks.tenantId, tenantName: tenants.name };
  const [row] = await database.run((db) =>
    db
      .select(columns)
      .from(tvLinks)
      .innerJoin(tenants, eq(tenants.id, tvLinks.tenantId))
      .where(eq(tvLinks.digest, digest)),
  );
  return row ?? null;
}

/**
 * @throws HoldfastError refused if there are too many; the errors of changeRecord()
 */
export const createLink = (
  store: Store,
  tenant: string,
  link: { readonly label: string; readonly digest: string },
  by: Author,
): Promise<void> =>
  changeRecord(store, tenant, { ...by, action: 'wallboard.create', details: { label: link.label } }, async (tx) => {
    await tx.insert(tvLinks).values({ ...link, tenantId: tenant, createdBy: by.actor });
    const [existing] = await tx.select({ links: count() }).from(tvLinks).where(eq(tvLinks.tenantId, tenant));
    if ((existing?.links ?? 0) > MAX_LINKS)
      throw new HoldfastError('refused', `a tenant has at most ${MAX_LINKS} wallboards`);
  });

/** @throws HoldfastError unknown; the errors of changeRecord() */
export const deleteLink = (store: Store, tenant: string, of: string, by: Author): Promise<TvLink> =>
  changeRecord(
    store,
    tenant,
    (deleted) => ({ ...by, action: 'wallboard.delete', details: { label: deleted.label } }),
    async (tx) => {
      const [deleted] = await tx
        .delete(tvLinks)
        .where(and(eq(tvLinks.tenantId, tenant), eq(id, of)))
        .returning(COLUMNS);
      if (deleted === undefined) throw new HoldfastError('unknown', 'There is no such wallboard.');
      return deleted;
    },
  );
