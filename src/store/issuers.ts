/**
 * The issuers whose JWTs a tenant's users may exchange for tokens (decisions, section 9).
 */
import { and, asc, count, eq, inArray } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { note } from './audit.ts';
import { isDuplicate } from './database.ts';
import { noSuchTenant, type Store } from './records.ts';
import { jwtIssuers, tenants } from './schema.ts';

const MOST_ISSUERS = 50;

export interface Issuer {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

const COLUMNS = { issuer: jwtIssuers.issuer, audience: jwtIssuers.audience, jwksUrl: jwtIssuers.jwksUrl };

const named = (tenant: string, issuer: string, audience: string) =>
  and(eq(jwtIssuers.tenantId, tenant), eq(jwtIssuers.issuer, issuer), eq(jwtIssuers.audience, audience));

/** @throws HoldfastError unavailable */
export const listIssuers = ({ database }: Store, tenant: string): Promise<Issuer[]> =>
  database.run((db) =>
    db
      .select(COLUMNS)
      .from(jwtIssuers)
      .where(eq(jwtIssuers.tenantId, tenant))
      .orderBy(asc(jwtIssuers.issuer), asc(jwtIssuers.audience)),
  );

/**
 * Those, of whichever tenants, that registered an issuer with one of these audiences.
 * @throws HoldfastError unavailable
 */
export const findIssuers = (
  { database }: Store,
  issuer: string,
  audiences: readonly string[],
): Promise<(Issuer & { tenant: string })[]> =>
  database.run((db) =>
    db
      .select({ ...COLUMNS, tenant: jwtIssuers.tenantId })
      .from(jwtIssuers)
      .where(and(eq(jwtIssuers.issuer, issuer), inArray(jwtIssuers.audience, [...audiences]))),
  );

/**
 * Registers an issuer, or gives one that is registered another address of keys.
 * @throws HoldfastError refused, where another tenant has it, or there are too many; unavailable
 */
export async function putIssuer({ database }: Store, tenant: string, one: Issuer, actor: string): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      // One at a time, so that they are counted right.
      const [row] = await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenant)).for('update');
      if (row === undefined) throw noSuchTenant();
      const changed = await tx
        .update(jwtIssuers)
        .set({ jwksUrl: one.jwksUrl })
        .where(named(tenant, one.issuer, one.audience))
        .returning({ id: jwtIssuers.id });
      if (changed.length === 0) {
        const [there] = await tx.select({ issuers: count() }).from(jwtIssuers).where(eq(jwtIssuers.tenantId, tenant));
        if ((there?.issuers ?? 0) >= MOST_ISSUERS)
          throw new HoldfastError('refused', `a tenant registers at most ${MOST_ISSUERS} issuers`);
        await tx.insert(jwtIssuers).values({ tenantId: tenant, ...one });
      }
      await note(tx, tenant, { actor, action: 'issuer.put', details: { ...one } });
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new HoldfastError('refused', 'audience is registered for this issuer by another tenant');
  }
}

/**
 * Forgets an issuer. Tokens that were issued for it live on until they end.
 * @throws HoldfastError unknown, unavailable
 */
export const deleteIssuer = (
  { database }: Store,
  tenant: string,
  issuer: string,
  audience: string,
  actor: string,
): Promise<void> =>
  database.transaction(async (tx) => {
    const deleted = await tx
      .delete(jwtIssuers)
      .where(named(tenant, issuer, audience))
      .returning({ id: jwtIssuers.id });
    if (deleted.length === 0) throw new HoldfastError('unknown', 'There is no such issuer.');
    await note(tx, tenant, { actor, action: 'issuer.delete', details: { issuer, audience } });
  });
