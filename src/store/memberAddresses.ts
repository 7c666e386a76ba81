/**
 * The e-mail addresses of members: notices go to nobody else (docs/specification.md#e-mail).
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from './db.ts';
import { members, users } from './schema.ts';

/** Returns those of some e-mail addresses that members have. The case of letters does not matter. */
export async function addressesOfMembers(
  db: Db,
  tenant: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const asked = addresses.map((address) => address.toLowerCase());
  const rows = await db
    .select({ email: sql<string>`lower(${users.email})` })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.tenantId, tenant), inArray(sql`lower(${users.email})`, asked)));
  const had = new Set(rows.map(({ email }) => email));
  return addresses.filter((address) => had.has(address.toLowerCase()));
}
