/**
 * The issuers whose JWTs a tenant's users may exchange for tokens. Registrations of one tenant have no effect on other
 * tenants.
 */
import { and, asc, count, eq, inArray } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { endTokens } from '../engine/tenant/tokens.ts';
import { type Author, note } from './audit.ts';
import { noSuchTenant, type Store } from './records.ts';
import { jwtIssuers, tenants } from './schema.ts';

const MAX_ISSUERS = 50;

export interface Issuer {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

const COLUMNS = { issuer: jwtIssuers.issuer, audience: jwtIssuers.audience, jwksUrl: jwtIssuers.jwksUrl };

const named = (tenant: string, issuer: string, audience: string) =>
  and(eq(jwtIssuers.tenantId, tenant), eq(jwtIssuers.issuer, issuer), eq(jwtIssuers.audience, audience));

/**
 * Lists a tenant's issuers, by name.
 * @throws HoldfastError unavailable
 */
export const listIssuers = ({ database }: Store, tenant: string): Promise<Issuer[]> =>
  database
    .of(tenant)
    .run((db) =>
      db
        .select(COLUMNS)
        .from(jwtIssuers)
        .where(eq(jwtIssuers.tenantId, tenant))
        .orderBy(asc(jwtIssuers.issuer), asc(jwtIssuers.audience)),
    );

/**
 * Finds a tenant's registrations of an issuer with one of these audiences.
 * @throws HoldfastError unavailable
 */
export const findIssuers = (
  { database }: Store,
  tenant: string,
  issuer: string,
  audiences: readonly string[],
): Promise<(Issuer & { tenant: string })[]> =>
  database.of(tenant).run((db) =>
    db
      .select({ ...COLUMNS, tenant: jwtIssuers.tenantId })
      .from(jwtIssuers)
      .where(
        and(
          eq(jwtIssuers.tenantId, tenant),
          eq(jwtIssuers.issuer, issuer),
          inArray(jwtIssuers.audience, [...audiences]),
        ),
      ),
  );

/**
 * Registers an issuer, or changes the JWKS address of a registered one.
 * @throws HoldfastError upgrade, if the tenant's tier has no token exchange; refused, if there are too many; unknown,
 * unavailable
 */
export const putIssuer = ({ database }: Store, tenant: string, one: Issuer, by: Author): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    // Serializes the changes of a tenant, so that they are counted correctly.
    const [row] = await tx.select({ tier: tenants.tier }).from(tenants).where(eq(tenants.id, tenant)).for('update');
    if (row === undefined) throw noSuchTenant();
    if (row.tier === 'Free') throw new HoldfastError('upgrade', 'JWT issuers are registered from tier Starter on.');
    const changed = await tx
      .update(jwtIssuers)
      .set({ jwksUrl: one.jwksUrl })
      .where(named(tenant, one.issuer, one.audience))
      .returning({ id: jwtIssuers.id });
    if (changed.length === 0) {
      const [existing] = await tx.select({ issuers: count() }).from(jwtIssuers).where(eq(jwtIssuers.tenantId, tenant));
      if ((existing?.issuers ?? 0) >= MAX_ISSUERS)
        throw new HoldfastError('refused', `a tenant registers at most ${MAX_ISSUERS} issuers`);
      await tx.insert(jwtIssuers).values({ tenantId: tenant, ...one });
    }
    await note(tx, tenant, { ...by, action: 'issuer.put', details: { ...one } });
  });

/**
 * Removes an issuer and ends the tokens that its JWTs were exchanged for. If a call fails halfway, a second call ends
 * the remaining tokens.
 * @throws HoldfastError unknown, unavailable
 */
export async function deleteIssuer(
  { database, redis }: Store,
  tenant: string,
  issuer: string,
  audience: string,
  by: Author,
): Promise<void> {
  const isDeleted = await database.of(tenant).transaction(async (tx) => {
    const deleted = await tx
      .delete(jwtIssuers)
      .where(named(tenant, issuer, audience))
      .returning({ id: jwtIssuers.id });
    if (deleted.length === 0) return false;
    await note(tx, tenant, { ...by, action: 'issuer.delete', details: { issuer, audience } });
    return true;
  });
  await endTokens(redis, tenant, { issuer, audience });
  if (!isDeleted) throw new HoldfastError('unknown', 'There is no such issuer.');
}
