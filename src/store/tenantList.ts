/**
 * Tenants and their use, as administrators see them (docs/specification.md#the-use-of-tenants).
 */
import { and, asc, desc, eq, gt, ilike, lt, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { TENANT_SORTS } from '../domain/tenants.ts';
import type { Measured } from '../engine/tenant/usage.ts';
import { noSuchTenant, type Store } from './records.ts';
import { tenants, tenantUsages } from './schema.ts';
import { TENANT_COLUMNS, type Tenant } from './tenants.ts';

/** A tenant's use, some seconds old. */
export interface Usage {
  readonly reservations: number;
  readonly definitions: number;
  /** Of the last hour. */
  readonly requests: number;
  /** Refused operations of the last hour. */
  readonly refusals: number;
  /** The last request; null: not known */
  readonly lastActiveAt: Date | null;
}

export interface UsedTenant extends Tenant {
  readonly usage: Usage;
}

/** Columns that tenants can be sorted by. */
export type Sort = (typeof TENANT_SORTS)[number];
export type Order = 'asc' | 'desc';

export interface TenantQuery {
  /** Only tenants whose id or name contains this. */
  readonly search: string | undefined;
  readonly sort: Sort;
  /** undefined: by id from a to z, by anything else the highest first */
  readonly order: Order | undefined;
  /** The `next` of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface TenantPage {
  readonly tenants: readonly UsedTenant[];
  /** Where the next page begins; null: there is none */
  readonly next: string | null;
}

const zero = (column: SQL | AnyPgColumn) => sql<number>`coalesce(${column}, 0)`.mapWith(Number);

/** The numbers that tenants are sorted by. */
const NUMBERS = {
  reservations: zero(tenantUsages.reservations),
  definitions: zero(tenantUsages.definitions),
  requests: zero(tenantUsages.requests),
  refusals: zero(tenantUsages.refusals),
  activity: zero(sql`floor(extract(epoch from ${tenantUsages.activeAt}) * 1000)::bigint`),
};

const select = { ...TENANT_COLUMNS, usage: NUMBERS };

const ofRow = ({
  usage: { activity, ...usage },
  ...tenant
}: Tenant & { usage: Record<keyof typeof NUMBERS, number> }) => ({
  ...tenant,
  usage: { ...usage, lastActiveAt: activity === 0 ? null : new Date(activity) },
});

/** @throws HoldfastError unknown, unavailable */
export async function readUsedTenant({ database }: Pick<Store, 'database'>, id: string): Promise<UsedTenant> {
  const [row] = await database.run((db) =>
    db
      .select(select)
      .from(tenants)
      .leftJoin(tenantUsages, eq(tenantUsages.tenantId, tenants.id))
      .where(eq(tenants.id, id)),
  );
  if (row === undefined) throw noSuchTenant();
  return ofRow(row);
}

/**
 * Reads a page of tenants.
 * @throws HoldfastError unavailable
 */
export async function listTenants({ database }: Pick<Store, 'database'>, query: TenantQuery): Promise<TenantPage> {
  const { search, sort, after, limit, order = sort === 'id' ? 'asc' : 'desc' } = query;
  // Wildcards of LIKE in the search text have no special meaning.
  const pattern = `%${search?.replace(/[\\%_]/g, '\\$&')}%`;
  const inOrder = order === 'asc' ? asc : desc;
  const rows = await database.run((db) =>
    db
      .select(select)
      .from(tenants)
      .leftJoin(tenantUsages, eq(tenantUsages.tenantId, tenants.id))
      .where(
        and(
          after === undefined ? undefined : following(sort, order, after),
          search === undefined ? undefined : or(ilike(tenants.id, pattern), ilike(tenants.name, pattern)),
        ),
      )
      .orderBy(...(sort === 'id' ? [inOrder(tenants.id)] : [inOrder(NUMBERS[sort]), asc(tenants.id)]))
      .limit(limit),
  );
  const last = rows.at(-1);
  const next = last === undefined || rows.length < limit ? null : cursorOf(sort, last.id, last.usage);
  return { tenants: rows.map(ofRow), next };
}

/**
 * The cursor after a row. It has the number of the row as it was on the page, since numbers change between two pages:
 * a tenant whose number changes may then be on both or on neither, but no other.
 */
const cursorOf = (sort: Sort, id: string, numbers: Record<keyof typeof NUMBERS, number>) =>
  sort === 'id' ? id : `${numbers[sort]}:${id}`;

/** Selects the rows after a cursor. Without a number, it is one of a page that was sorted by id. */
function following(sort: Sort, order: Order, after: string): SQL | undefined {
  const [, number = '0', id = ''] = /^(?:(\d+):)?(.*)$/.exec(after) ?? [];
  const beyond = order === 'asc' ? gt : lt;
  if (sort === 'id') return beyond(tenants.id, id);
  const column = NUMBERS[sort];
  // A number may be greater than its column can hold.
  const at = sql`${number}::numeric`;
  return or(beyond(column, at), and(eq(column, at), gt(tenants.id, id)));
}

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
