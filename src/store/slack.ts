/**
 * The Slack apps of tenants, and the accounts in Slack that their members have linked
 * (docs/specification.md#reserving-from-slack).
 */
import { and, eq, or } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { higherRole, type Role } from '../domain/rights.ts';
import { type Author, note } from './audit.ts';
import type { Db } from './db.ts';
import { slackApps, slackLinks } from './noticesSchema.ts';
import { noSuchTenant, type Store } from './records.ts';
import { members, tenants, users } from './schema.ts';

type Databases = Pick<Store, 'database'>;

/** The app of a tenant, as people see it. */
export interface SlackApp {
  readonly teamId: string;
  readonly teamName: string;
  /** Who registered it, as in the audit trail. */
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** The app with its secrets, encrypted. */
export interface SealedSlackApp extends SlackApp {
  readonly botToken: string;
  readonly signingSecret: string;
}

const SHOWN = {
  teamId: slackApps.teamId,
  teamName: slackApps.teamName,
  createdBy: slackApps.createdBy,
  createdAt: slackApps.createdAt,
};

const noSuchApp = () => new HoldfastError('unknown', 'This tenant has no Slack app.');

/** Finds the app of a tenant; null: it has none. @throws HoldfastError unavailable */
export async function findSlackApp({ database }: Databases, tenant: string): Promise<SealedSlackApp | null> {
  const columns = { ...SHOWN, botToken: slackApps.botToken, signingSecret: slackApps.signingSecret };
  const [row] = await database
    .of(tenant)
    .run((db) => db.select(columns).from(slackApps).where(eq(slackApps.tenantId, tenant)));
  return row ?? null;
}

/** @throws HoldfastError unknown, unavailable */
export async function readSlackApp({ database }: Databases, tenant: string): Promise<SlackApp> {
  const [app] = await database
    .of(tenant)
    .run((db) => db.select(SHOWN).from(slackApps).where(eq(slackApps.tenantId, tenant)));
  if (app === undefined) throw noSuchApp();
  return app;
}

/**
 * Registers the app of a tenant, in place of the one that it had. All links end, unless workspace and signing secret
 * stay the same: whoever knows the secret can speak for every account that is linked.
 * @param isSameSecret returns true if an encrypted signing secret is that of the new app
 * @throws HoldfastError unknown, unavailable
 */
export const putSlackApp = (
  { database }: Databases,
  tenant: string,
  app: Pick<SealedSlackApp, 'botToken' | 'signingSecret' | 'teamId' | 'teamName'>,
  isSameSecret: (sealed: string) => Promise<boolean>,
  by: Author,
): Promise<SlackApp> =>
  database.of(tenant).transaction(async (tx) => {
    const [known] = await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenant)).for('key share');
    if (known === undefined) throw noSuchTenant();
    const { teamId, teamName } = app;
    const [before] = await tx
      .select({ teamId: slackApps.teamId, signingSecret: slackApps.signingSecret })
      .from(slackApps)
      .where(eq(slackApps.tenantId, tenant))
      .for('update');
    const isSame = before?.teamId === teamId && (await isSameSecret(before.signingSecret));
    const made = { ...app, createdBy: by.actor, createdAt: new Date() };
    const [stored] = await tx
      .insert(slackApps)
      .values({ tenantId: tenant, ...made })
      .onConflictDoUpdate({ target: slackApps.tenantId, set: made })
      .returning(SHOWN);
    if (stored === undefined) throw new TypeError('an insert returned nothing');
    if (!isSame) await tx.delete(slackLinks).where(eq(slackLinks.tenantId, tenant));
    await note(tx, tenant, { ...by, action: 'slack.put', details: { team: teamName, teamId } });
    return stored;
  });

/** Removes the app of a tenant, and all links. @throws HoldfastError unknown, unavailable */
export const deleteSlackApp = ({ database }: Databases, tenant: string, by: Author): Promise<SlackApp> =>
  database.of(tenant).transaction(async (tx) => {
    const [deleted] = await tx.delete(slackApps).where(eq(slackApps.tenantId, tenant)).returning(SHOWN);
    if (deleted === undefined) throw noSuchApp();
    await tx.delete(slackLinks).where(eq(slackLinks.tenantId, tenant));
    const details = { team: deleted.teamName, teamId: deleted.teamId };
    await note(tx, tenant, { ...by, action: 'slack.delete', details });
    return deleted;
  });

/** A member who has linked an account. */
export interface LinkedMember {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly role: Role;
  readonly tenantName: string;
}

/** An account in Slack. */
export interface SlackUser {
  readonly teamId: string;
  readonly userId: string;
}

/** Finds the member who has linked an account; null: nobody has. @throws HoldfastError unavailable */
export async function findLinkedMember(
  { database }: Databases,
  tenant: string,
  { teamId, userId }: SlackUser,
): Promise<LinkedMember | null> {
  const { id, issuer, subject, email, name } = users;
  const columns = { id, issuer, subject, email, name, role: members.role, groupRole: members.groupRole };
  const [row] = await database.of(tenant).run((db) =>
    db
      .select({ ...columns, tenantName: tenants.name })
      .from(slackLinks)
      .innerJoin(members, and(eq(members.tenantId, slackLinks.tenantId), eq(members.userId, slackLinks.userId)))
      .innerJoin(users, eq(users.id, slackLinks.userId))
      .innerJoin(tenants, eq(tenants.id, slackLinks.tenantId))
      .where(and(eq(slackLinks.tenantId, tenant), eq(slackLinks.teamId, teamId), eq(slackLinks.slackUserId, userId))),
  );
  if (row === undefined) return null;
  const { role, groupRole, ...rest } = row;
  return { ...rest, role: higherRole(role, groupRole) ?? 'viewer' };
}

/** Finds the account that a member has linked; null: none. @throws HoldfastError unavailable */
export const findSlackUser = ({ database }: Databases, tenant: string, userId: string): Promise<SlackUser | null> =>
  database.of(tenant).run((db) => slackUserOf(db, tenant, userId));

/** Finds the same by a connection that is at hand. */
export async function slackUserOf(db: Db, tenant: string, userId: string): Promise<SlackUser | null> {
  const [row] = await db
    .select({ teamId: slackLinks.teamId, userId: slackLinks.slackUserId })
    .from(slackLinks)
    .where(and(eq(slackLinks.tenantId, tenant), eq(slackLinks.userId, userId)));
  return row ?? null;
}

/**
 * Ties an account to a member. An account that the member had linked, and another member's link of this account, end.
 * @throws HoldfastError refused if the tenant's app is of another workspace by now, or the person is no member;
 * unavailable
 */
export const linkSlackUser = (
  { database }: Databases,
  tenant: string,
  { teamId, userId: slackUserId }: SlackUser,
  userId: string,
  by: Author,
): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    const [app] = await tx
      .select({ teamId: slackApps.teamId })
      .from(slackApps)
      .where(eq(slackApps.tenantId, tenant))
      .for('share');
    if (app?.teamId !== teamId)
      throw new HoldfastError('refused', 'This workspace is not that of the tenant any more.');
    const [member] = await tx
      .select({ userId: members.userId })
      .from(members)
      .where(and(eq(members.tenantId, tenant), eq(members.userId, userId)))
      .for('share');
    if (member === undefined) throw new HoldfastError('refused', 'You are no member of this tenant.');
    const isSame = and(eq(slackLinks.teamId, teamId), eq(slackLinks.slackUserId, slackUserId));
    await tx.delete(slackLinks).where(and(eq(slackLinks.tenantId, tenant), or(eq(slackLinks.userId, userId), isSame)));
    await tx.insert(slackLinks).values({ tenantId: tenant, teamId, slackUserId, userId });
    await note(tx, tenant, { ...by, action: 'slack.link', details: { account: slackUserId } });
  });

/** Ends the link of a member. @throws HoldfastError unknown, unavailable */
export const unlinkSlackUser = ({ database }: Databases, tenant: string, userId: string, by: Author): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    const [deleted] = await tx
      .delete(slackLinks)
      .where(and(eq(slackLinks.tenantId, tenant), eq(slackLinks.userId, userId)))
      .returning({ slackUserId: slackLinks.slackUserId });
    if (deleted === undefined) throw new HoldfastError('unknown', 'You have linked no account in Slack.');
    await note(tx, tenant, { ...by, action: 'slack.unlink', details: { account: deleted.slackUserId } });
  });
