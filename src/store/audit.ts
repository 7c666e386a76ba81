/**
 * The audit trail: who changed what in a tenant, and when.
 */
import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Author } from '../engine/tenant/credentials.ts';
import type { Database } from './database.ts';
import type { Db } from './db.ts';
import { audit } from './schema.ts';

export type { Author };

export interface AuditEntry extends Author {
  /** For example key.create, tier.change, definitions.register. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

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
