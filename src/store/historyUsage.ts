/**
 * Usage of resources with a database (docs/specification.md#usage-of-resources): one statement each. It works
 * out what src/domain/usage.ts and src/domain/pools.ts do, which a test compares.
 */
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { History, HoldersQuery, HoursOfAll, Pools, PoolsQuery } from '../domain/history.ts';
import type { TierTable } from '../domain/tiers.ts';
import { type Frame, type PastFigures, type PastUsage, stepsOf } from '../domain/usage.ts';
import { rowsOf } from './db.ts';
import { type HistoryOwner, readOwner } from './historyOwners.ts';
import { history } from './historySchema.ts';
import { moveHistory } from './moveHistory.ts';
import type { Store } from './records.ts';
import { storedRefusals } from './refusals.ts';

/** Batches that are moved from Redis before. */
const MAX_BATCHES = 5;

/** @param clock the time now, in ms since 1970 UTC */
export const usageInDatabase = (
  store: Store,
  tiers: TierTable,
  clock = Date.now,
): Omit<History, 'page' | 'recent' | 'keepReset'> => {
  const ask = async (tenant: string, statement: (kept: (fromMs: number) => SQL) => SQL): Promise<unknown> => {
    const now = clock();
    await moveHistory(store, tenant, { tiers, maxBatches: MAX_BATCHES, now });
    return store.database.of(tenant).run(async (db) => {
      const owner = await readOwner(db, tenant);
      const ofOwner = (fromMs: number) => (owner === undefined ? sql`false` : keptOf(owner, tiers, fromMs, now));
      return rowsOf(await db.execute(statement(ofOwner)));
    });
  };
  return {
    usage: async (tenant, resource, frame) =>
      toUsage(await ask(tenant, (kept) => usageStatement(kept(frame.fromMs), resource, frame)), frame),
    hours: async (tenant, frame) =>
      hoursOf(HourRows.parse(await ask(tenant, (kept) => hoursStatement(kept(frame.fromMs), frame))), frame),
    refusals: (tenant, resource, fromMs, toMs) => storedRefusals(store, tenant, resource, fromMs, toMs),
    pools: async (tenant, query) => ({
      pools: toPools(await ask(tenant, (kept) => poolsStatement(kept(query.fromMs), query))),
      looked: 0,
    }),
    holders: async (tenant, query) => ({
      holders: HolderRows.parse(await ask(tenant, (kept) => holdersStatement(kept(query.fromMs), query))),
      looked: 0,
    }),
  };
};

const timeOf = (ms: number): SQL => sql`to_timestamp(${ms}::bigint / 1000.0)`;

/** The condition for entries of an owner that ended at a time or later, and that its tier keeps. */
function keptOf({ id, entries, tier }: HistoryOwner, tiers: TierTable, fromMs: number, nowMs: number): SQL {
  const keptFrom = entries - (tiers[tier].historyEntries ?? entries);
  // An entry is kept for some time after it ended.
  return sql`owner = ${id}::bigint and ended_at >= ${timeOf(fromMs)}
    and expires_at > ${timeOf(Math.max(fromMs, nowMs))} and position > ${keptFrom}::bigint`;
}

/** Ms since 1970 UTC. With extract(), which returns numeric, a statement takes twice as long. */
const msOf = (column: SQL): SQL => sql`round(date_part('epoch', ${column}) * 1000)::bigint`;

/** A time out of service, among entries. */
const IS_OUT = sql`ending = 'OUT_OF_SERVICE'`;

/** Sums are by the step alone: only means and percentiles of the whole span cannot be added up. */
function usageStatement(kept: SQL, resource: string, { fromMs, toMs, stepMs }: Frame): SQL {
  const [from, to, step] = [sql`${fromMs}::bigint`, sql`${toMs}::bigint`, sql`${stepMs}::bigint`];
  return sql`
    with past as materialized (
      select ${msOf(sql`reserved_at`)} as reserved, ${msOf(sql`ended_at`)} as ended, cardinality(slots) as slots,
        waited_ms as waited, (${IS_OUT}) as is_out
      from ${history}
      where ${kept} and hashtextextended(resource, 0) = hashtextextended(${resource}::text, 0)
        and resource = ${resource} and reserved_at < ${timeOf(toMs)}
    ), in_use as (
      select step, sum(ms) filter (where not is_out) as held_ms, sum(ms) filter (where is_out) as out_ms
      from past, generate_series((greatest(reserved, ${from}) - ${from}) / ${step},
        (least(ended, ${to}) - 1 - ${from}) / ${step}) step,
        lateral (select (slots * (least(ended, ${to}, ${from} + (step + 1) * ${step})
          - greatest(reserved, ${from} + step * ${step})))::float8 as ms) as time
      where least(ended, ${to}) > greatest(reserved, ${from}) group by step
    ), made as (
      select (reserved - ${from}) / ${step} as step, count(*) as made from past
      where reserved >= ${from} and not is_out group by 1
    ), done as (
      select (ended - ${from}) / ${step} as step, avg((ended - reserved)::float8) as mean_held,
        percentile_disc(0.95) within group (order by ended - reserved)::float8 as p95_held,
        avg(waited::float8) as mean_waited, percentile_disc(0.95) within group (order by waited)::float8 as p95_waited
      from past where ended < ${to} and not is_out group by grouping sets ((1), ())
    )
    select step::int, coalesce(held_ms, 0)::float8 as "heldMs", coalesce(out_ms, 0)::float8 as "outMs",
      coalesce(made, 0)::int as reservations,
      mean_held as "meanHeldMs", p95_held as "p95HeldMs", mean_waited as "meanWaitedMs", p95_waited as "p95WaitedMs",
      (select count(*) from past)::int as looked
    from done full join in_use using (step) full join made using (step)`;
}

const number = z.number().nullable();
const means = { meanHeldMs: number, p95HeldMs: number, meanWaitedMs: number, p95WaitedMs: number };
/** The row of the means and percentiles of the whole span has no step. */
const UsageRows = z.array(
  z.object({ step: number, heldMs: z.number(), outMs: z.number(), reservations: z.int(), ...means, looked: z.int() }),
);

const NO_ROW = {
  step: null,
  looked: 0,
  heldMs: 0,
  outMs: 0,
  reservations: 0,
  meanHeldMs: null,
  p95HeldMs: null,
  meanWaitedMs: null,
  p95WaitedMs: null,
} as const;

function toUsage(found: unknown, frame: Frame): PastUsage {
  const rows = UsageRows.parse(found);
  const figures = (step: number | null): PastFigures => {
    const { step: _, looked: __, ...row } = rows.find((one) => one.step === step) ?? NO_ROW;
    return row;
  };
  const sum = (of: (row: PastFigures) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    total: {
      ...figures(null),
      heldMs: sum(({ heldMs }) => heldMs),
      outMs: sum(({ outMs }) => outMs),
      reservations: sum(({ reservations }) => reservations),
    },
    steps: Array.from({ length: stepsOf(frame) }, (_, step) => figures(step)),
    looked: rows[0]?.looked ?? 0,
  };
}

function poolsStatement(kept: SQL, { fromMs, toMs, known, heldNow, outNow, limit }: PoolsQuery): SQL {
  const [from, to] = [sql`${fromMs}::bigint`, sql`${toMs}::bigint`];
  const registered = JSON.stringify([...known].map(([name, one]) => ({ name, ...one })));
  return sql`
    with past as materialized (
      select resource, ${msOf(sql`reserved_at`)} as reserved, ${msOf(sql`ended_at`)} as ended,
        cardinality(slots) as slots, waited_ms as waited, (${IS_OUT}) as is_out
      from ${history} where ${kept} and coalesce(reserved_at, ended_at) < ${timeOf(toMs)}
    ), known as (
      select * from jsonb_to_recordset(${registered}::text::jsonb)
        as known (name text, capacity int, "isTakenAlong" boolean)
    ), held_now as (
      select name as resource, "heldMs", reservations from jsonb_to_recordset(${JSON.stringify(heldNow)}::text::jsonb)
        as held_now (name text, "heldMs" float8, reservations int)
    ), out_now as (
      select * from jsonb_to_recordset(${JSON.stringify(outNow)}::text::jsonb) as out_now (resource text, "outMs" float8)
    ), outs as (
      select resource, sum(ms) as out_ms from (
        select resource, (slots * (least(ended, ${to}) - greatest(reserved, ${from})))::float8 as ms
          from past where is_out
        union all select resource, "outMs" from out_now
      ) times group by resource
    ), used as (
      select resource, sum((slots * (least(ended, ${to}) - greatest(reserved, ${from})))::float8) as held_ms,
        count(*) filter (where reserved >= ${from}) as made,
        count(*) filter (where reserved is null and ended < ${to}) as gave_up
      from past where not is_out group by resource
    ), waits as (
      select resource, count(*) as waits, avg(waited::float8) as mean,
        percentile_disc(0.95) within group (order by waited)::float8 as p95
      from past where waited is not null and ended < ${to} group by resource
    ), pools as (
      select resource, least(1, (coalesce(held_ms, 0) + coalesce("heldMs", 0))
          / greatest(1, coalesce(capacity, 1) * ${toMs - fromMs}::float8 - coalesce(out_ms, 0))) as share,
        (coalesce(made, 0) + coalesce(reservations, 0))::int as reservations, mean as "meanWaitedMs",
        p95 as "p95WaitedMs", (coalesce(waits, 0) - coalesce(gave_up, 0))::int as waited,
        coalesce(gave_up, 0)::int as "gaveUp"
      from used left join waits using (resource) full join held_now using (resource)
        left join outs using (resource) left join known on name = resource
    )
    (select 'share' as list, pools.*, 0 as total from pools order by share desc, resource collate "C" limit ${limit})
    union all
    (select 'waiting', pools.*, 0 from pools where "meanWaitedMs" is not null
      order by "meanWaitedMs" desc, resource collate "C" limit ${limit})
    union all
    (select 'unused', name, 0, 0, null, null, 0, 0, (count(*) over ())::int
      from known where not "isTakenAlong" and name not in (select resource from pools union select resource from outs)
      order by name collate "C" limit ${limit})
    union all
    (select 'out', resource, least(1, out_ms / greatest(1, coalesce(capacity, 1) * ${toMs - fromMs}::float8)) as share,
        0, null, null, 0, 0, 0
      from outs left join known on name = resource order by share desc, resource collate "C" limit ${limit})`;
}

/**
 * Of each step, the slots whose holds begin or end in it, and how long before its end, all added up: hoursOf() works
 * out the rest. A row for each hold and step would be too many.
 */
function hoursStatement(kept: SQL, { fromMs, toMs, stepMs }: Frame): SQL {
  const [from, to, step] = [sql`${fromMs}::bigint`, sql`${toMs}::bigint`, sql`${stepMs}::bigint`];
  return sql`
    with past as materialized (
      select greatest(${msOf(sql`reserved_at`)} - ${from}, -1) as reserved,
        least(${msOf(sql`ended_at`)}, ${to}) - ${from} as ended, cardinality(slots) as slots, waited_ms as waited
      from ${history} where ${kept} and reserved_at < ${timeOf(toMs)} and not (${IS_OUT})
    )
    select 'begin' as kind, (greatest(reserved, 0) / ${step})::int as step, sum(slots)::float8 as slots,
      sum((slots * (${step} - greatest(reserved, 0) % ${step}))::float8) as ms,
      (count(*) filter (where reserved >= 0))::int as made, null::float8 as mean, null::float8 as p95
    from past group by 2
    union all
    select 'end', (ended / ${step})::int, sum(slots)::float8, sum((slots * (${step} - ended % ${step}))::float8), 0, null, null
    from past group by 2
    union all
    select 'waits', 0, 0, 0, 0, avg(waited::float8), percentile_disc(0.95) within group (order by waited)::float8
    from past where waited is not null and ended < ${to} - ${from}`;
}

const HourRows = z.array(
  z.object({
    kind: z.enum(['begin', 'end', 'waits']),
    step: z.int(),
    slots: z.number(),
    ms: z.number(),
    made: z.int(),
    mean: number,
    p95: number,
  }),
);

/** A hold counts in full in each step from that in which it begins, and is taken back from that in which it ends. */
function hoursOf(rows: z.output<typeof HourRows>, frame: Frame): HoursOfAll {
  const ofKind = (kind: 'begin' | 'end') =>
    new Map(rows.flatMap((row) => (row.kind === kind ? [[row.step, row]] : [])));
  const [begins, ends] = [ofKind('begin'), ofKind('end')];
  let slots = 0;
  const heldMs = Array.from({ length: stepsOf(frame) }, (_, i) => {
    const [begin, end] = [begins.get(i), ends.get(i)];
    // The last step may be shorter: what is held at its end has ended there.
    const held = slots * frame.stepMs + (begin?.ms ?? 0) - (end?.ms ?? 0);
    slots += (begin?.slots ?? 0) - (end?.slots ?? 0);
    return held;
  });
  const waits = rows.find(({ kind }) => kind === 'waits');
  return {
    heldMs,
    reservations: rows.reduce((sum, { made }) => sum + made, 0),
    meanWaitedMs: waits?.mean ?? null,
    p95WaitedMs: waits?.p95 ?? null,
    looked: 0,
  };
}

/** Names are joined as jobOf() of src/domain/holders.ts does. */
function holdersStatement(kept: SQL, { fromMs, toMs, heldNow, limit }: HoldersQuery): SQL {
  const [from, to] = [sql`${fromMs}::bigint`, sql`${toMs}::bigint`];
  return sql`
    with past as (
      select requester, ${msOf(sql`reserved_at`)} as reserved, ${msOf(sql`ended_at`)} as ended,
        cardinality(slots) as slots, waited_ms as waited
      from ${history} where ${kept} and reserved_at < ${timeOf(toMs)} and not (${IS_OUT})
    ), used as (
      select requester, sum((slots * (least(ended, ${to}) - greatest(reserved, ${from})))::float8) as held,
        count(*) filter (where reserved >= ${from}) as made,
        sum(waited::float8) filter (where ended < ${to}) as waited, count(waited) filter (where ended < ${to}) as waits
      from past group by requester
      union all select name, "heldMs", reservations, null, 0
        from jsonb_to_recordset(${JSON.stringify(heldNow)}::text::jsonb)
          as held_now (name text, "heldMs" float8, reservations int)
    ), jobs as (
      select case when count(distinct requester) = 1 then min(requester) else job end as name,
        count(distinct requester)::int as names,
        sum(held) as "heldMs", sum(made)::int as reservations, sum(waited) / nullif(sum(waits), 0) as "meanWaitedMs"
      from (select *, regexp_replace(requester, '([^0-9])[0-9]+$', '\\1') as job from used) one group by job
    )
    select * from jobs order by "heldMs" desc, name collate "C" limit ${limit}`;
}

const HolderRows = z.array(
  z.object({ name: z.string(), names: z.int(), heldMs: z.number(), reservations: z.int(), meanWaitedMs: number }),
);

const PoolRows = z.array(
  z.object({
    list: z.enum(['share', 'waiting', 'unused', 'out']),
    resource: z.string(),
    share: z.number(),
    reservations: z.int(),
    meanWaitedMs: number,
    p95WaitedMs: number,
    waited: z.int(),
    gaveUp: z.int(),
    total: z.int(),
  }),
);

function toPools(found: unknown): Pools {
  const rows = PoolRows.parse(found);
  const of = (wanted: 'share' | 'waiting') =>
    rows.flatMap(({ list, total: _, ...pool }) => (list === wanted ? [pool] : []));
  const unused = rows.filter(({ list }) => list === 'unused');
  return {
    byShare: of('share'),
    byWaiting: of('waiting'),
    outOfService: rows.flatMap(({ list, resource, share }) => (list === 'out' ? [{ resource, share }] : [])),
    unused: unused.map(({ resource }) => resource),
    unusedCount: unused[0]?.total ?? 0,
  };
}
