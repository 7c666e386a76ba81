/**
 * The audit trail: who changed what of a tenant, and when.
 */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Db } from './db.ts';
import { audit } from './schema.ts';

export interface AuditEntry {
  /** `user:<e-mail address or subject>`, `admin:<the same>`, `key:<label>`, or `key` where that has none */
  readonly actor: string;
  /** Such as key.create, tier.change, definitions.register. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Notes a change, in the transaction that makes it. */
export async function note(tx: Db, tenantId: string, { actor, action, details = {} }: AuditEntry): Promise<void> {
  await tx.insert(audit).values({ tenantId, actor, action, details });
}

/**
 * Notes what an administrator does that changes nothing in the database.
 * @throws HoldfastError unavailable
 */
export const noteAction = (database: Database, tenantId: string, entry: AuditEntry): Promise<void> =>
  database.run((db) => note(db, tenantId, entry));

/**
 * A page of a tenant's audit trail, the latest first.
 * @param before only what is older than the entry of this id
 * @throws HoldfastError unavailable
 */
export const auditTrail = (database: Database, tenantId: string, before: number | undefined, limit: number) =>
  database.run((db) =>
    db
      .select({ id: audit.id, at: audit.at, actor: audit.actor, action: audit.action, details: audit.details })
      .from(audit)
      .where(and(eq(audit.tenantId, tenantId), before === undefined ? undefined : lt(audit.id, before)))
      .orderBy(desc(audit.id))
      .limit(limit),
  );

export type AuditRow = Awaited<ReturnType<typeof auditTrail>>[number];
