/**
 * Keeps the counts of refusals as long as the history (docs/specification.md#refusals): a row for each tenant and hour,
 * copied from Redis, which keeps the last days.
 */
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import type { HourOfRefusals } from '../domain/usage.ts';
import { keptSince, refusalsOf } from '../engine/tenant/refusals.ts';
import type { Database } from './database.ts';
import { rowsOf } from './db.ts';
import { refusals } from './historySchema.ts';
import type { Store } from './records.ts';
import { tenants } from './schema.ts';

/** Rows that one statement deletes. */
const BATCH = 1000;

/** The counts of an hour: `r<resource>`, `l<limit type>` or `o` for others → how many. */
export interface HourOfCounts {
  readonly startMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Writes the counts of hours, in place of those that were written before. Does nothing if the tenant does not exist.
 * @throws HoldfastError unavailable
 */
export async function putRefusals(database: Database, tenant: string, hours: readonly HourOfCounts[]): Promise<void> {
  if (hours.length === 0) return;
  await database.run((db) =>
    db.execute(sql`
      insert into ${refusals} (tenant_id, hour, counts)
      select ${tenants.id}, to_timestamp(row."startMs" / 1000.0), row.counts
      from jsonb_to_recordset(${JSON.stringify(hours)}::text::jsonb) as row ("startMs" bigint, counts jsonb)
      join ${tenants} on ${tenants.id} = ${tenant}
      on conflict (tenant_id, hour) do update set counts = excluded.counts`),
  );
}

const Rows = z.array(z.object({ startMs: z.number(), count: z.number() }));

/**
 * Reads the refusals of a resource by the hour: the latest from Redis, the others from the database.
 * @throws HoldfastError unavailable
 */
export async function storedRefusals(
  { database, redis }: Store,
  tenant: string,
  resource: string,
  fromMs: number,
  toMs: number,
): Promise<HourOfRefusals[]> {
  const since = keptSince();
  const latest = await refusalsOf(redis, tenant, resource, Math.max(since, fromMs), toMs);
  if (fromMs >= since) return latest;
  const timeOf = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;
  const rows = await database.of(tenant).run((db) =>
    db.execute(sql`
      select (extract(epoch from hour) * 1000)::float8 as "startMs", (counts ->> ${`r${resource}`}::text)::float8 as count
      from ${refusals}
      where tenant_id = ${tenant} and hour >= ${timeOf(fromMs)} and hour < ${timeOf(Math.min(since, toMs))}
        and counts ? ${`r${resource}`}::text`),
  );
  return [...Rows.parse(rowsOf(rows)), ...latest];
}

/**
 * Deletes the counts that the tenants' tiers no longer keep, in pieces.
 * @returns the number of deleted rows
 * @throws HoldfastError unavailable
 */
export async function deleteOldRefusals(database: Database, tiers: TierTable): Promise<number> {
  let deleted = 0;
  for (const tier of TIERS) {
    const days = tiers[tier].historyDays;
    if (days === null) continue;
    for (let count = BATCH; count === BATCH; deleted += count) {
      const rows = await database.run((db) =>
        db.execute(sql`
          delete from ${refusals} where (tenant_id, hour) in (
            select tenant_id, hour from ${refusals} join ${tenants} on ${tenants.id} = tenant_id
            where ${tenants.tier} = ${tier} and hour < now() - make_interval(days => ${days}::int) limit ${BATCH}
          ) returning 1`),
      );
      count = z.array(z.unknown()).parse(rowsOf(rows)).length;
    }
  }
  return deleted;
}
