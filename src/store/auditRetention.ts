/**
 * Deletes old entries of the audit trail: of each tenant those that its tier no longer keeps
 * (docs/specification.md#audit-trail). Every statement is bounded.
 */
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import type { Database } from './database.ts';
import { rowsOf } from './db.ts';
import { audit, tenants } from './schema.ts';

/** How long entries of deleted tenants are kept, in days. */
const DELETED_DAYS = 365;
const DAY_MS = 86_400_000;
/** Tenants that one query looks at. */
const TENANTS = 500;
/** Entries that one statement deletes. */
const BATCH = 1000;

const Oldest = z.array(z.object({ tenant: z.string(), at: z.coerce.date(), tier: z.enum(TIERS).nullable() }));

/**
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
