/**
 * The audit trail: who changed what in a tenant, and when.
 */
import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import type { Author } from '../engine/tenant/credentials.ts';
import type { Database } from './database.ts';
import { type Db, rowsOf } from './db.ts';
import { audit, tenants } from './schema.ts';

export type { Author };

export interface AuditEntry extends Author {
  /** For example key.create, tier.change, definitions.register. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A value that was changed. */
export const Changed = z.strictObject({ from: z.unknown(), to: z.unknown() });
export type Changed = z.infer<typeof Changed>;

/** Returns the fields that differ, each as it was and is. Fields are plain values. */
export const differences = (before: object, after: object): Record<string, Changed> =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, to]) => {
      const from = Reflect.get(before, name);
      return from === to ? [] : [[name, { from, to }]];
    }),
  );

/** The action of the entry that remains of a deleted tenant. */
export const TENANT_DELETE = 'tenant.delete';

/** Writes an entry, in the transaction that makes the change. */
export const note = (tx: Db, tenantId: string, entry: AuditEntry): Promise<void> => noteAll(tx, tenantId, [entry]);

/** Writes entries, in the transaction that makes the changes. */
export async function noteAll(tx: Db, tenantId: string, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await tx
    .insert(audit)
    .values(entries.map(({ actor, address, action, details = {} }) => ({ tenantId, actor, address, action, details })));
}

/**
 * Writes entries for actions that do not change the database.
 * @throws HoldfastError unavailable
 */
export async function noteActions(database: Database, tenantId: string, entries: readonly AuditEntry[]): Promise<void> {
  await database.run((db) => noteAll(db, tenantId, entries));
}

/** Which entries are read. A part that is left out, or undefined, lets all through. */
export interface AuditFilter {
  readonly tenant?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Only entries of this time or later. */
  readonly from?: Date | undefined;
  /** Only entries before this time. */
  readonly to?: Date | undefined;
}

/**
 * Reads a page of the audit trail, the latest entries first. It takes one range of an index, in its order, however the
 * entries are spread: the filter, the bounds of time and the order are in terms of that index's columns.
 * @param before an entry's id: only older entries are read. None are if that entry has been deleted
 * @throws HoldfastError unavailable
 */
export function auditPage(database: Database, filter: AuditFilter, before: number | undefined, limit: number) {
  const { tenant, actor, action, from, to } = filter;
  const columns: AnyPgColumn[] = [];
  const values: SQL[] = [];
  const pin = (column: AnyPgColumn, value: string) => {
    columns.push(column);
    values.push(sql`${value}`);
  };
  if (tenant !== undefined) pin(audit.tenantId, tenant);
  // Of two filters, the database chooses the one that fewer entries pass.
  if (actor === undefined && action !== undefined) pin(audit.action, action);
  if (action === undefined && actor !== undefined) pin(audit.actor, actor);
  const cursor = sql`(select ${audit.at} from ${audit} where ${audit.id} = ${before ?? null})`;
  return database.of(tenant ?? null).run((db) =>
    db
      .select()
      .from(audit)
      .where(
        and(
          sql`${tuple(...columns, audit.at)} >= ${tuple(...values, timeOf(from, '-infinity'))}`,
          before === undefined
            ? sql`${tuple(...columns, audit.at)} < ${tuple(...values, timeOf(to, 'infinity'))}`
            : sql`${tuple(...columns, audit.at, audit.id)} < ${tuple(...values, cursor, sql`${before}`)}`,
          before === undefined || to === undefined ? undefined : lt(audit.at, to),
          actor === undefined || action === undefined
            ? undefined
            : and(eq(audit.actor, actor), eq(audit.action, action)),
        ),
      )
      .orderBy(...[...columns, audit.at, audit.id].map((column) => desc(column)))
      .limit(limit),
  );
}

/** Values, or columns, that are compared in their order. */
const tuple = (...parts: (SQL | AnyPgColumn)[]): SQL => sql`(${sql.join(parts, sql`, `)})`;

const timeOf = (time: Date | undefined, otherwise: string): SQL =>
  sql`${time?.toISOString() ?? otherwise}::timestamptz`;

export type AuditRow = Awaited<ReturnType<typeof auditPage>>[number];

/** Time for which entries of deleted tenants are kept, in days. */
const DELETED_DAYS = 365;
const DAY_MS = 86_400_000;
/** Tenants that one query looks at. */
const TENANTS = 500;
/** Entries that one statement deletes. */
const BATCH = 1000;

const Oldest = z.array(z.object({ tenant: z.string(), at: z.coerce.date(), tier: z.enum(TIERS).nullable() }));

/**
 * Deletes old entries of the audit trail: of each tenant those that its tier no longer keeps
 * (docs/specification.md#audit-trail). Every statement is bounded.
 * @returns the number of deleted entries
 * @throws HoldfastError unavailable
 */
export async function deleteOldEntries(database: Database, tiers: TierTable): Promise<number> {
  const now = Date.now();
  let deleted = 0;
  for (let after = ''; ; ) {
    const page = await oldestOfTenants(database, after);
    for (const { tenant, at, tier } of page) {
      const days = tier === null ? DELETED_DAYS : tiers[tier].auditDays;
      if (days === null) continue;
      const end = new Date(now - days * DAY_MS);
      if (at < end) deleted += await deleteBefore(database, tenant, end);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < TENANTS) return deleted;
    after = last.tenant;
  }
}

/**
 * Reads tenants that have entries, by id, with the time of their oldest entry and their tier, null if they are deleted.
 * Takes one step in the index for each tenant, however many entries it has.
 */
async function oldestOfTenants(database: Database, after: string) {
  const rows = await database.run((db) =>
    db.execute(sql`
      with recursive oldest as (
        (select tenant_id, at from ${audit} where tenant_id > ${after} order by tenant_id, at limit 1)
        union all
        select next.tenant_id, next.at from oldest cross join lateral (
          select a.tenant_id, a.at from ${audit} a where a.tenant_id > oldest.tenant_id
          order by a.tenant_id, a.at limit 1
        ) next
      )
      select page.tenant_id as tenant, page.at, ${tenants.tier} as tier
      from (select * from oldest limit ${TENANTS}) page left join ${tenants} on ${tenants.id} = page.tenant_id
      order by page.tenant_id`),
  );
  return Oldest.parse(rowsOf(rows));
}

/** Deletes a tenant's entries from before a time, batch by batch. */
async function deleteBefore(database: Database, tenant: string, end: Date): Promise<number> {
  for (let deleted = 0; ; ) {
    const rows = await database.run((db) =>
      db.execute(sql`
        delete from ${audit} where id in (
          select id from ${audit}
          where (tenant_id, at) >= (${tenant}, '-infinity'::timestamptz)
            and (tenant_id, at) < (${tenant}, ${end.toISOString()}::timestamptz)
          order by tenant_id, at limit ${BATCH}
        ) returning id`),
    );
    const { length } = z.array(z.unknown()).parse(rowsOf(rows));
    deleted += length;
    if (length < BATCH) return deleted;
  }
}
