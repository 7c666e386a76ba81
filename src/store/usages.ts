/**
 * Each tenant's use, for administrators (docs/specification.md#the-use-of-tenants): a copy of the figures in Redis.
 */
import { and, asc, gt, lt, or, sql } from 'drizzle-orm';
import type { Measured } from '../engine/tenant/usage.ts';
import type { Store } from './records.ts';
import { tenants, tenantUsages } from './schema.ts';

type Databases = Pick<Store, 'database'>;

/** A row to write. */
export interface UsageRow extends Measured {
  /** The last request, in ms since 1970 UTC; null: not known */
  readonly activeAtMs: number | null;
}

/**
 * Writes rows. Tenants that do not exist are left out, and definitions that are not known stay as they were.
 * @throws HoldfastError unavailable
 */
export async function putUsages({ database }: Databases, rows: readonly UsageRow[]): Promise<void> {
  // In one order, so that two writers do not wait for each other in a circle.
  await database.run((db) =>
    db.execute(sql`
      insert into ${tenantUsages} (tenant_id, reservations, definitions, requests, refusals, active_at, written_at)
      select ${tenants.id}, row.reservations, coalesce(row.definitions, ${tenantUsages.definitions}, 0), row.requests,
        row.refusals, to_timestamp(row."activeAtMs" / 1000.0), now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row
        (tenant text, reservations int, definitions int, requests int, refusals int, "activeAtMs" bigint)
      join ${tenants} on ${tenants.id} = row.tenant
      left join ${tenantUsages} on ${tenantUsages.tenantId} = row.tenant
      order by 1
      on conflict (tenant_id) do update set reservations = excluded.reservations, definitions = excluded.definitions,
        requests = excluded.requests, refusals = excluded.refusals, written_at = excluded.written_at,
        active_at = greatest(${tenantUsages.activeAt}, excluded.active_at)`),
  );
}

/**
 * Lists tenants whose rows may be wrong although the tenants have not been active: leases end, and requests become
 * older than an hour. The oldest rows come first.
 * @throws HoldfastError unavailable
 */
export async function staleUsages({ database }: Databases, writtenBefore: Date, limit: number): Promise<string[]> {
  const { tenantId, reservations, requests, refusals, writtenAt } = tenantUsages;
  const rows = await database.run((db) =>
    db
      .select({ tenantId })
      .from(tenantUsages)
      .where(and(lt(writtenAt, writtenBefore), or(gt(reservations, 0), gt(requests, 0), gt(refusals, 0))))
      .orderBy(asc(writtenAt))
      .limit(limit),
  );
  return rows.map((row) => row.tenantId);
}
