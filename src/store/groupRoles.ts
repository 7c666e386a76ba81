/**
 * The roles that groups of the identity provider give in a tenant (docs/specification.md#members). A change reaches a
 * member at their next sign-in.
 */
import { and, asc, count, eq, gt } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Role } from '../domain/rights.ts';
import { note } from './audit.ts';
import type { Db } from './db.ts';
import { lock, type RoleChanger } from './members.ts';
import type { Store } from './records.ts';
import { groupRoles } from './schema.ts';

type Databases = Pick<Store, 'database'>;

const MAX_GROUPS = 200;

export interface GroupRole {
  readonly group: string;
  readonly role: Role;
  readonly createdAt: Date;
}

const COLUMNS = { group: groupRoles.group, role: groupRoles.role, createdAt: groupRoles.createdAt };

const of = (tenant: string, group: string) => and(eq(groupRoles.tenantId, tenant), eq(groupRoles.group, group));

const noSuchGroup = () => new HoldfastError('unknown', 'This group has no role here.');

/** Lists a page of a tenant's groups, by name. @throws HoldfastError unavailable */
export const listGroups = (
  { database }: Databases,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<GroupRole[]> =>
  database.of(tenant).run((db) =>
    db
      .select(COLUMNS)
      .from(groupRoles)
      .where(and(eq(groupRoles.tenantId, tenant), after === undefined ? undefined : gt(groupRoles.group, after)))
      .orderBy(asc(groupRoles.group))
      .limit(limit),
  );

/** @throws HoldfastError unknown, unavailable */
export async function readGroup({ database }: Databases, tenant: string, group: string): Promise<GroupRole> {
  const row = await database.of(tenant).run((db) => findGroup(db, tenant, group));
  if (row === undefined) throw noSuchGroup();
  return row;
}

async function findGroup(db: Db, tenant: string, group: string): Promise<GroupRole | undefined> {
  const [row] = await db.select(COLUMNS).from(groupRoles).where(of(tenant, group));
  return row;
}

/**
 * Gives a group a role.
 * @param mayAdd whether the caller may add this group, too
 * @param by who gives it, and which roles they may not change
 * @throws HoldfastError forbidden, if it is new and may not be added; refused, if there are too many; unavailable; the
 * errors of `refuse`
 */
export const putGroup = (
  { database }: Databases,
  tenantId: string,
  group: string,
  role: Role,
  mayAdd: boolean,
  { refuse, ...by }: RoleChanger,
): Promise<GroupRole> =>
  database.of(tenantId).transaction(async (tx) => {
    await lock(tx, tenantId);
    const before = await findGroup(tx, tenantId, group);
    if (before === undefined) {
      if (!mayAdd) throw new HoldfastError('forbidden', 'Only a person who is in this group can give it a role.');
      const [listed] = await tx.select({ groups: count() }).from(groupRoles).where(eq(groupRoles.tenantId, tenantId));
      if ((listed?.groups ?? 0) >= MAX_GROUPS)
        throw new HoldfastError('refused', `At most ${MAX_GROUPS} groups can have a role.`);
    } else refuse(before.role);
    const [row] = await tx
      .insert(groupRoles)
      .values({ tenantId, group, role })
      .onConflictDoUpdate({ target: [groupRoles.tenantId, groupRoles.group], set: { role } })
      .returning(COLUMNS);
    if (row === undefined) throw new TypeError('an insert returned nothing');
    if (before?.role !== role) await note(tx, tenantId, { ...by, action: 'group.put', details: { group, role } });
    return row;
  });

/**
 * Takes the role of a group.
 * @param by who takes it, and which roles they may not change
 * @throws HoldfastError unknown, unavailable; the errors of `refuse`
 */
export const deleteGroup = (
  { database }: Databases,
  tenant: string,
  group: string,
  { refuse, ...by }: RoleChanger,
): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    const [deleted] = await tx.delete(groupRoles).where(of(tenant, group)).returning({ role: groupRoles.role });
    if (deleted === undefined) throw noSuchGroup();
    refuse(deleted.role);
    await note(tx, tenant, { ...by, action: 'group.delete', details: { group } });
  });
