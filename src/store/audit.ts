/**
 * The audit trail: who changed what in a tenant, and when.
 */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Db } from './db.ts';
import { audit } from './schema.ts';

/** Who makes a change. */
export interface Author {
  /**
   * `person:<e-mail address or subject>`, `admin:<e-mail address or subject>`, `key:<label>`, or `key` without a label,
   * `token:<label>` of a management token
   */
  readonly actor: string;
  /** The address that the request came from; null: not known */
  readonly address: string | null;
}

export interface AuditEntry extends Author {
  /** For example key.create, tier.change, definitions.register. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The action of the entry that remains of a deleted tenant. */
export const TENANT_DELETE = 'tenant.delete';

/** Writes an entry, in the transaction that makes the change. */
export async function note(
  tx: Db,
  tenantId: string,
  { actor, address, action, details = {} }: AuditEntry,
): Promise<void> {
  await tx.insert(audit).values({ tenantId, actor, address, action, details });
}

/**
 * Writes an entry for an administrator's action that does not change the database.
 * @throws HoldfastError unavailable
 */
export const noteAction = (database: Database, tenantId: string, entry: AuditEntry): Promise<void> =>
  database.run((db) => note(db, tenantId, entry));

/**
 * Reads a page of a tenant's audit trail, the latest entries first.
 * @param before an entry's id: only older entries are read
 * @throws HoldfastError unavailable
 */
export const auditTrail = (database: Database, tenantId: string, before: number | undefined, limit: number) =>
  database.run((db) =>
    db
      .select({
        id: audit.id,
        at: audit.at,
        actor: audit.actor,
        address: audit.address,
        action: audit.action,
        details: audit.details,
      })
      .from(audit)
      .where(and(eq(audit.tenantId, tenantId), before === undefined ? undefined : lt(audit.id, before)))
      .orderBy(desc(audit.id))
      .limit(limit),
  );

export type AuditRow = Awaited<ReturnType<typeof auditTrail>>[number];
