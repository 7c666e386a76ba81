/**
 * A tenant's subscriptions to its events (docs/specification.md#subscriptions). Targets and secrets are stored
 * encrypted. The record in Redis has the types that the subscriptions want.
 */
import { and, asc, count, eq, sql } from 'drizzle-orm';
import { HoldfastError, tierLimitError } from '../domain/errors.ts';
import type { DisabledReason, SubscriptionKind, Target } from '../domain/notices.ts';
import type { Tier, TierTable } from '../domain/tiers.ts';
import type { Author } from './audit.ts';
import type { Db } from './db.ts';
import { addressesOfMembers } from './memberAddresses.ts';
import { slackApps, subscriptions } from './noticesSchema.ts';
import { changeRecord, IdInUse, type Store } from './records.ts';
import { tenants } from './schema.ts';

/** The most subscriptions of a tenant, in any tier: the worker looks at all of them. */
const MAX_SUBSCRIPTIONS = 100;

/** The Retry-After of a refused subscription, in seconds: others may have been deleted by then. */
const RETRY_AFTER_S = 60;

/** Hours after a rotation in which the secret before it signs, too. */
const BOTH_SIGN_HOURS = 24;

/** Where a subscription's events go. */
export interface SealedTarget {
  /** Encrypted. */
  readonly target: string;
  /** null: there is no URL */
  readonly host: string | null;
}

interface Chosen {
  readonly label: string;
  readonly types: string[];
  readonly prefix: string;
  readonly enabled: boolean;
}

export interface NewSubscription extends SealedTarget, Chosen {
  readonly id: string;
  readonly kind: SubscriptionKind;
  /** Encrypted; null: it has none */
  readonly secret: string | null;
}

/** Fields that are undefined stay as they are. */
export type SubscriptionChange = {
  readonly [Field in keyof (SealedTarget & Chosen)]?: (SealedTarget & Chosen)[Field] | undefined;
};

export interface SubscriptionRow extends NewSubscription {
  /** Null after 24 hours. */
  readonly previousSecret: string | null;
  readonly disabledReason: DisabledReason | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly rotatedAt: Date | null;
}

/** A tenant's subscriptions, with its tier. */
export interface OfTenant {
  readonly tier: Tier;
  readonly isSuspended: boolean;
  /** The oldest first. */
  readonly rows: readonly SubscriptionRow[];
}

const COLUMNS = {
  id: subscriptions.id,
  kind: subscriptions.kind,
  label: subscriptions.label,
  types: subscriptions.types,
  prefix: subscriptions.prefix,
  enabled: subscriptions.enabled,
  disabledReason: subscriptions.disabledReason,
  target: subscriptions.target,
  host: subscriptions.host,
  secret: subscriptions.secret,
  previousSecret: sql<
    string | null
  >`case when ${subscriptions.rotatedAt} > now() - make_interval(hours => ${BOTH_SIGN_HOURS}) then ${subscriptions.previousSecret} end`,
  createdBy: subscriptions.createdBy,
  createdAt: subscriptions.createdAt,
  changedAt: subscriptions.changedAt,
  rotatedAt: subscriptions.rotatedAt,
};

const named = (tenant: string, id: string) => and(eq(subscriptions.tenantId, tenant), eq(subscriptions.id, id));

export const noSuchSubscription = () => new HoldfastError('unknown', 'There is no such subscription.');

/** What the audit trail tells of a subscription: no URL, channel or address. */
const told = ({ id, kind, label, host, types, prefix, enabled }: SubscriptionRow) => ({
  ...{ id, kind, label },
  ...(host === null ? {} : { host }),
  ...{ types, prefix, enabled },
});

/** Reads all subscriptions of a tenant; null: there is no such tenant. @throws HoldfastError unavailable */
export const readSubscriptions = ({ database }: Store, tenant: string): Promise<OfTenant | null> =>
  database.of(tenant).run(async (db) => {
    const [of] = await db
      .select({ tier: tenants.tier, suspendedAt: tenants.suspendedAt })
      .from(tenants)
      .where(eq(tenants.id, tenant));
    if (of === undefined) return null;
    const rows = await db
      .select(COLUMNS)
      .from(subscriptions)
      .where(eq(subscriptions.tenantId, tenant))
      .orderBy(asc(subscriptions.createdAt), asc(subscriptions.id));
    return { tier: of.tier, isSuspended: of.suspendedAt !== null, rows };
  });

/** Finds a subscription of a tenant; null: there is none with this id. @throws HoldfastError unavailable */
export async function findSubscription(store: Store, tenant: string, id: string): Promise<SubscriptionRow | null> {
  const of = await readSubscriptions(store, tenant);
  return of?.rows.find((row) => row.id === id) ?? null;
}

/** The ids of the enabled subscriptions that the tier allows: the oldest ones. */
export function withinLimit({ tier, rows }: OfTenant, tiers: TierTable): ReadonlySet<string> {
  const enabled = rows.filter((row) => row.enabled);
  return new Set(enabled.slice(0, tiers[tier].notices ?? enabled.length).map(({ id }) => id));
}

/** Counts a tenant's subscriptions. @throws HoldfastError unavailable */
export async function countSubscriptions({ database }: Store, tenant: string): Promise<number> {
  const [row] = await database
    .of(tenant)
    .run((db) => db.select({ all: count() }).from(subscriptions).where(eq(subscriptions.tenantId, tenant)));
  return row?.all ?? 0;
}

/**
 * Creates a subscription. Scripts keep its types of events when this returns.
 * @param target the same as in `made`
 * @throws IdInUse; HoldfastError refused for addresses of strangers, or for a channel without a Slack app; LimitError
 * if the tenant has as many as its tier allows; the errors of changeRecord()
 */
export const createSubscription = (
  store: Store,
  tiers: TierTable,
  tenant: string,
  made: NewSubscription,
  target: Target,
  by: Author,
): Promise<SubscriptionRow> =>
  changeRecord(
    store,
    tenant,
    (row) => ({ ...by, action: 'notice.create', details: told(row) }),
    async (tx) => {
      await refuseTarget(tx, tenant, target);
      const [row] = await tx
        .insert(subscriptions)
        .values({ ...made, tenantId: tenant, createdBy: by.actor })
        .onConflictDoNothing({ target: subscriptions.id })
        .returning(COLUMNS);
      if (row === undefined) throw new IdInUse();
      const [of] = await tx.select({ tier: tenants.tier }).from(tenants).where(eq(tenants.id, tenant));
      const [existing] = await tx
        .select({ all: count() })
        .from(subscriptions)
        .where(eq(subscriptions.tenantId, tenant));
      const all = existing?.all ?? 0;
      if (all > MAX_SUBSCRIPTIONS)
        throw new HoldfastError('refused', `a tenant has at most ${MAX_SUBSCRIPTIONS} subscriptions`);
      const limit = of === undefined ? null : tiers[of.tier].notices;
      if (of !== undefined && limit !== null && all > limit)
        throw tierLimitError(tiers, {
          limitType: 'Notices',
          limit,
          tier: of.tier,
          asked: 1,
          retryAfter: RETRY_AFTER_S,
        });
      return row;
    },
  );

/**
 * Changes a subscription. A change of `enabled` ends what the service disabled it for.
 * @returns it before and after
 * @throws HoldfastError unknown; refused as of createSubscription(); the errors of changeRecord()
 */
export const changeSubscription = (
  store: Store,
  tenant: string,
  id: string,
  change: SubscriptionChange,
  target: Target | null,
  by: Author,
): Promise<{ readonly before: SubscriptionRow; readonly after: SubscriptionRow }> =>
  changeRecord(
    store,
    tenant,
    ({ after }) => ({ ...by, action: 'notice.change', details: told(after) }),
    async (tx) => {
      const [before] = await tx.select(COLUMNS).from(subscriptions).where(named(tenant, id));
      if (before === undefined) throw noSuchSubscription();
      if (target !== null) await refuseTarget(tx, tenant, target);
      const [after] = await tx
        .update(subscriptions)
        .set({ ...change, ...(change.enabled === undefined ? {} : { disabledReason: null }), changedAt: sql`now()` })
        .where(named(tenant, id))
        .returning(COLUMNS);
      if (after === undefined) throw noSuchSubscription();
      return { before, after };
    },
  );

/**
 * Replaces the secret. For 24 hours, the one before signs, too.
 * @throws HoldfastError unknown; refused if it has no secret; the errors of changeRecord()
 */
export const rotateSecret = (
  store: Store,
  tenant: string,
  id: string,
  secret: string,
  by: Author,
): Promise<SubscriptionRow> =>
  changeRecord(
    store,
    tenant,
    ({ label }) => ({ ...by, action: 'notice.rotate', details: { id, label } }),
    async (tx) => {
      const [row] = await tx
        .update(subscriptions)
        .set({ secret, previousSecret: sql`${subscriptions.secret}`, rotatedAt: sql`now()`, changedAt: sql`now()` })
        .where(named(tenant, id))
        .returning(COLUMNS);
      if (row === undefined) throw noSuchSubscription();
      if (row.kind !== 'webhook') throw new HoldfastError('refused', 'Only webhooks have a secret.');
      return row;
    },
  );

/** Deletes a subscription. @throws HoldfastError unknown; the errors of changeRecord() */
export const deleteSubscription = (store: Store, tenant: string, id: string, by: Author): Promise<SubscriptionRow> =>
  changeRecord(
    store,
    tenant,
    ({ label, kind }) => ({ ...by, action: 'notice.delete', details: { id, kind, label } }),
    async (tx) => {
      const [row] = await tx.delete(subscriptions).where(named(tenant, id)).returning(COLUMNS);
      if (row === undefined) throw noSuchSubscription();
      return row;
    },
  );

/**
 * Disables a subscription for its failures.
 * @throws HoldfastError unknown if it is gone, or disabled already; the errors of changeRecord()
 */
export const disableSubscription = (
  store: Store,
  tenant: string,
  id: string,
  reason: DisabledReason,
  by: Author,
): Promise<SubscriptionRow> =>
  changeRecord(
    store,
    tenant,
    ({ label }) => ({ ...by, action: 'notice.disable', details: { id, label, reason } }),
    async (tx) => {
      const [row] = await tx
        .update(subscriptions)
        .set({ enabled: false, disabledReason: reason, changedAt: sql`now()` })
        .where(and(named(tenant, id), eq(subscriptions.enabled, true)))
        .returning(COLUMNS);
      if (row === undefined) throw noSuchSubscription();
      return row;
    },
    null,
  );

/** @throws HoldfastError refused for addresses of strangers, or for a channel without a Slack app */
async function refuseTarget(tx: Db, tenant: string, target: Target): Promise<void> {
  if ('addresses' in target) await refuseStrangers(tx, tenant, target.addresses);
  if (!('channel' in target)) return;
  const apps = await tx.select({ team: slackApps.teamId }).from(slackApps).where(eq(slackApps.tenantId, tenant));
  if (apps.length === 0) throw new HoldfastError('refused', 'channel needs a Slack app of the tenant');
}

/** E-mail goes to members only. */
async function refuseStrangers(tx: Db, tenant: string, addresses: readonly string[]): Promise<void> {
  const known = await addressesOfMembers(tx, tenant, addresses);
  const stranger = addresses.find((address) => !known.includes(address));
  if (stranger !== undefined)
    throw new HoldfastError('refused', `addresses must be verified addresses of members, and ${stranger} is not`);
}
