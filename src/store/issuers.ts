/**
 * The issuers whose JWTs a tenant's users may exchange for tokens. Registrations of one tenant have no effect on other
 * tenants.
 */
import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Registration } from '../domain/registrations.ts';
import { endTokens } from '../engine/tenant/tokens.ts';
import { type Author, note } from './audit.ts';
import { jwtIssuers } from './issuersSchema.ts';
import { noSuchTenant, type Store } from './records.ts';
import { tenants } from './schema.ts';

const MAX_ISSUERS = 50;

const COLUMNS = {
  id: jwtIssuers.id,
  issuer: jwtIssuers.issuer,
  audience: jwtIssuers.audience,
  jwksUrl: jwtIssuers.jwksUrl,
  conditions: jwtIssuers.conditions,
  permission: jwtIssuers.permission,
  prefix: jwtIssuers.prefix,
  maxPriority: jwtIssuers.maxPriority,
  requester: jwtIssuers.requester,
  instances: jwtIssuers.instances,
};

const named = (tenant: string, id: string) => and(eq(jwtIssuers.tenantId, tenant), eq(jwtIssuers.id, id));

/**
 * Lists a tenant's registrations, by id.
 * @throws HoldfastError unavailable
 */
export const listIssuers = ({ database }: Store, tenant: string): Promise<Registration[]> =>
  database
    .of(tenant)
    .run((db) =>
      db.select(COLUMNS).from(jwtIssuers).where(eq(jwtIssuers.tenantId, tenant)).orderBy(asc(jwtIssuers.id)),
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
): Promise<(Registration & { tenant: string; revision: string })[]> =>
  database.of(tenant).run((db) =>
    db
      .select({ ...COLUMNS, tenant: jwtIssuers.tenantId, revision: jwtIssuers.revision })
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
 * Registers an issuer, or replaces the registration with this id. Ends the tokens that were exchanged by it. If a call
 * fails halfway, a second call ends the remaining tokens.
 * @throws HoldfastError upgrade, if the tenant's tier has no token exchange; refused, if there are too many; unknown,
 * unavailable
 */
export async function putIssuer(
  { database, redis }: Store,
  tenant: string,
  one: Registration,
  by: Author,
): Promise<void> {
  await database.of(tenant).transaction(async (tx) => {
    // Serializes the changes of a tenant, so that they are counted correctly.
    const [row] = await tx.select({ tier: tenants.tier }).from(tenants).where(eq(tenants.id, tenant)).for('update');
    if (row === undefined) throw noSuchTenant();
    if (row.tier === 'Free') throw new HoldfastError('upgrade', 'JWT issuers are registered from tier Starter on.');
    await tx
      .insert(jwtIssuers)
      .values({ tenantId: tenant, ...one })
      .onConflictDoUpdate({
        target: [jwtIssuers.tenantId, jwtIssuers.id],
        set: { ...one, revision: sql`gen_random_uuid()` },
      });
    const [existing] = await tx.select({ issuers: count() }).from(jwtIssuers).where(eq(jwtIssuers.tenantId, tenant));
    if ((existing?.issuers ?? 0) > MAX_ISSUERS)
      throw new HoldfastError('refused', `a tenant registers at most ${MAX_ISSUERS} issuers`);
    await note(tx, tenant, { ...by, action: 'issuer.put', details: { ...one } });
  });
  await endTokens(redis, tenant, one.id);
}

/**
 * Removes a registration and ends the tokens that were exchanged by it. If a call fails halfway, a second call ends the
 * remaining tokens.
 * @throws HoldfastError unknown, unavailable
 */
export async function deleteIssuer({ database, redis }: Store, tenant: string, id: string, by: Author): Promise<void> {
  const isDeleted = await database.of(tenant).transaction(async (tx) => {
    const [deleted] = await tx.delete(jwtIssuers).where(named(tenant, id)).returning(COLUMNS);
    if (deleted === undefined) return false;
    await note(tx, tenant, { ...by, action: 'issuer.delete', details: { ...deleted } });
    return true;
  });
  await endTokens(redis, tenant, id);
  if (!isDeleted) throw new HoldfastError('unknown', 'There is no such issuer.');
}
