/**
 * The events that the subscriptions and members of a tenant want, and the tenants that have any.
 */
import { and, arrayOverlaps, eq, gt, sql } from 'drizzle-orm';
import { union } from 'drizzle-orm/pg-core';
import { maskOf } from '../domain/eventTypes.ts';
import { type Channel, PERSONAL_NOTICES, type PersonalNotice, type WantedTypes } from '../domain/notices.ts';
import { eventsOf } from '../domain/personalNotices.ts';
import type { Database } from './database.ts';
import type { Db } from './db.ts';
import { noticeChoices, subscriptions } from './noticesSchema.ts';
import { tenants } from './schema.ts';

/** Channels that the service sends to. Pages show the others. */
const SENT: readonly Channel[] = ['email', 'slack', 'push'];

/** Chooses the rows of channels that the service sends to. */
export const isSent = arrayOverlaps(noticeChoices.channels, [...SENT]);

/** Lists the types that a tenant's subscriptions want, in a transaction. */
async function wantedTypes(tx: Db, tenant: string): Promise<readonly string[]> {
  const rows = await tx
    .select({ types: subscriptions.types })
    .from(subscriptions)
    .where(and(eq(subscriptions.tenantId, tenant), eq(subscriptions.enabled, true)));
  return rows.flatMap(({ types }) => types);
}

/** Lists the notices that the service sends to a tenant's members, in a transaction. */
export async function sentNotices(tx: Db, tenant: string): Promise<readonly PersonalNotice[]> {
  const rows = await tx
    .selectDistinct({ what: noticeChoices.what })
    .from(noticeChoices)
    .where(and(eq(noticeChoices.tenantId, tenant), isSent));
  const sent = rows.map(({ what }) => what);
  return PERSONAL_NOTICES.filter((what) => sent.includes(what));
}

/**
 * Forgets what a member has chosen, in the transaction that ends the membership. Redis must get the record afterwards
 * (loadRecord() of records.ts); if this instance dies before that, a job does it.
 */
export async function forgetChoices(tx: Db, tenant: string, userId: string): Promise<void> {
  const own = and(eq(noticeChoices.tenantId, tenant), eq(noticeChoices.userId, userId));
  const gone = await tx.delete(noticeChoices).where(own).returning({ what: noticeChoices.what });
  if (gone.length > 0) await growVersion(tx, tenant);
}

/** Makes the working copy of a tenant's record in Redis an old one, in a transaction. */
export const growVersion = (tx: Db, tenant: string) =>
  tx
    .update(tenants)
    .set({ version: sql`${tenants.version} + 1`, changedAt: sql`now()` })
    .where(eq(tenants.id, tenant));

/** Returns the types of events that a tenant's outbox takes, in a transaction; null: none */
export async function wantedNotices(tx: Db, tenant: string): Promise<WantedTypes | null> {
  const types = maskOf(await wantedTypes(tx, tenant));
  const personTypes = maskOf(eventsOf(await sentNotices(tx, tenant)));
  return types === 0 && personTypes === 0 ? null : { types, personTypes };
}

/**
 * Lists tenants that something may have to be sent for, by id.
 * @param after the last id of the previous page
 * @throws HoldfastError unavailable
 */
export async function tenantsWithNotices(database: Database, after: string, limit: number): Promise<string[]> {
  const rows = await database.run((db) => {
    const subscribed = db
      .select({ tenant: subscriptions.tenantId })
      .from(subscriptions)
      .where(and(eq(subscriptions.enabled, true), gt(subscriptions.tenantId, after)));
    const chosen = db
      .select({ tenant: noticeChoices.tenantId })
      .from(noticeChoices)
      .where(and(gt(noticeChoices.tenantId, after), isSent));
    return union(subscribed, chosen).orderBy(sql`1`).limit(limit);
  });
  return rows.map(({ tenant }) => tenant);
}
