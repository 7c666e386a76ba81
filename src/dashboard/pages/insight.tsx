/**
 * The page Insight: which resources are used most, which people wait for, and which nobody needs; when; by whom; what
 * was refused; the operations of the last hour; and what the tenant uses of its limits.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Pools } from '../../domain/history.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import { lastHour } from '../../engine/tenant/activity.ts';
import { usage } from '../../engine/tenant/usage.ts';
import { type PoolTrend, readInsight, WEEK } from '../../operations/insight.ts';
import { listKeys } from '../../store/keys.ts';
import { span } from '../assets/span.js';
import { Heatmap } from '../components/heatmap.tsx';
import { HolderTable } from '../components/holderTable.tsx';
import { HourChart } from '../components/hourChart.tsx';
import { Page } from '../components/layout.tsx';
import { LimitsCard } from '../components/limitsCard.tsx';
import { isShort, PoolTable } from '../components/poolTable.tsx';
import { type InsightProps, RefusalsCard } from '../components/refusalsCard.tsx';
import { Figure } from '../components/resourceAside.tsx';
import { resourcePath } from '../components/resourceTree.tsx';
import { ShortCard } from '../components/shortCard.tsx';
import { SharesSince, savedBy, stepOf, Trend, WithOneMore } from '../components/trend.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readQuery } from '../form.ts';
import { type NameOf, namesOf } from '../people.ts';
import { daysText } from '../words/moments.ts';
import { monthBefore, REPORT } from '../words/months.ts';
import { number, percent } from '../words/numbers.ts';

const AT = '/dashboard/insight';

/** The times that it can be of, up to now, in days. */
const SPANS = [1, WEEK, 30, 90];

const Query = z.object({
  days: z.coerce
    .number()
    .refine((days) => SPANS.includes(days))
    .catch(WEEK),
});

export const insightRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const { credential } = viewer;
    const { days } = readQuery(c, Query);
    const [insight, minutes, { result: used }, keys] = await Promise.all([
      readInsight(deps, credential, days),
      lastHour(deps.engine, credential.tenant),
      usage(deps.engine, credential),
      countKeys(deps, credential.tenant),
    ]);
    const pools = insight.trends.map(({ resource }) => resource);
    const [nameOf, states] = await Promise.all([
      namesOf(
        deps,
        viewer,
        insight.holders.map(({ name }) => name),
      ),
      resourceStates(deps.engine, credential, pools, { slots: 1 }),
    ]);
    const kept = deps.tenants === null ? null : deps.engine.tiers[used.tier].historyDays;
    const waiting = new Map(pools.map((name, i) => [name, states[i]?.waiting ?? 0]));
    return c.html(
      <Page title="Insight" viewer={viewer} at={AT} head={{ actions: <Actions days={days} kept={kept} /> }}>
        {deps.tenants === null && (
          <p class="hint">
            This service runs without a database: it keeps the newest 10,000 ended reservations, and these figures come
            from them.
          </p>
        )}
        <div class="cols">
          <div class="stack">
            <FiguresCard insight={insight} days={days} />
            {insight.short.length > 0 && <ShortCard short={insight.short} days={days} />}
            <PoolsCard insight={insight} days={days} />
            {insight.trends.length > 0 && <TrendsCard trends={insight.trends} {...{ waiting, days }} />}
            <HoldersCard insight={insight} nameOf={nameOf} />
          </div>
          <aside class="stack" aria-label="More figures">
            <HoursCard insight={insight} />
            <RefusalsCard insight={insight} days={days} />
            {insight.pools.outOfService.length > 0 && <OutCard pools={insight.pools} days={days} />}
            <UnusedCard pools={insight.pools} days={days} />
            <section class="card" aria-labelledby="hour-title">
              <header>
                <h2 id="hour-title">Operations in the last hour</h2>
              </header>
              <div class="pad">
                <HourChart minutes={minutes} />
              </div>
            </section>
            <LimitsCard usage={used} keys={keys} tiers={deps.engine.tiers} tenant={credential.tenant} />
          </aside>
        </div>
      </Page>,
    );
  });

const countKeys = async ({ tenants, configuredKeys }: DashboardDeps, tenant: string): Promise<number> =>
  tenants === null
    ? configuredKeys.filter((one) => one.tenant === tenant).length
    : (await listKeys(tenants.store, tenant)).length;

/** @param props.kept for how many days the tenant's history is kept; null: no limit */
const Actions = ({ days, kept }: { days: number; kept: number | null }) => {
  const { month, name, from, to } = monthBefore(new Date());
  return (
    <>
      <nav class="seg" aria-label="Time">
        {SPANS.filter((one) => one === days || one <= WEEK || kept === null || one <= kept).map((one) => (
          <a href={`${AT}?days=${one}`} aria-current={one === days ? 'true' : undefined}>
            {daysText(one)}
          </a>
        ))}
      </nav>
      <a class="button" href={`/dashboard/activity/history.csv?${new URLSearchParams({ from, to })}`}>
        {name} as CSV
      </a>
      <a class="button" href={`${REPORT}?${new URLSearchParams({ month })}`}>
        Report of {name}
      </a>
    </>
  );
};

const FiguresCard = ({
  insight: { reservations, meanWaitedMs, share, refusedResources, sinceMs },
  days,
}: InsightProps) => (
  <section class="card" aria-labelledby="figures-title">
    <header>
      <h2 id="figures-title">Last {daysText(days)}</h2>
      <SharesSince sinceMs={sinceMs} />
    </header>
    <dl class="figs large">
      <Figure name="of all slots in use" value={percent(share)} />
      <Figure name="reservations" value={number(reservations)} />
      <Figure name="mean wait" value={meanWaitedMs === null ? '–' : span(meanWaitedMs)} />
      <Figure
        name={days > WEEK ? `refused in ${daysText(WEEK)}` : 'refused'}
        value={number(refusedResources.reduce((sum, { count }) => sum + count, 0))}
      />
    </dl>
  </section>
);

/** Each resource once: those used most, and those waited for longest. */
const PoolsCard = ({ insight: { pools, refusedResources }, days }: InsightProps) => {
  const { byShare, byWaiting } = pools;
  const all = [...new Map([...byShare, ...byWaiting].map((pool) => [pool.resource, pool])).values()];
  const refused = new Map(refusedResources.map(({ name, count }) => [name, count]));
  return (
    <section class="card" aria-labelledby="used-title">
      <header>
        <h2 id="used-title">Resources</h2>
        <AllRows count={all.length} shown={6} />
        <span class="meta">used most, or waited for longest</span>
      </header>
      {all.length === 0 ? (
        <p class="pad quiet">Nobody has reserved anything in the last {daysText(days)}.</p>
      ) : (
        <>
          <PoolTable
            label="Resources used most"
            pools={all.toSorted((one, other) => other.share - one.share)}
            refused={refused}
            days={days}
          />
          {all.some(isShort) && (
            <p class="pad meta">
              “Buy one more” stands where slots are in use for 70 % of the time or more, and people had to wait.
            </p>
          )}
        </>
      )}
    </section>
  );
};

/** Shows what a phone leaves out of a card, without a script. @param props.shown how many it shows at first */
const AllRows = ({ count, shown }: { count: number; shown: number }) =>
  count > shown && (
    <span class="end meta phone-only">
      <label class="check">
        <input type="checkbox" /> All {number(count)}
      </label>
    </span>
  );

interface TrendsProps {
  readonly trends: readonly PoolTrend[];
  /** How many wait for each now. */
  readonly waiting: ReadonlyMap<string, number>;
  readonly days: number;
}

/** Those first of which one more slot would have saved most. */
const byNeed = (one: PoolTrend, other: PoolTrend): number => needOf(other) - needOf(one);
const needOf = ({ oneMore }: PoolTrend): number => (oneMore === null ? 0 : savedBy(oneMore));

const TrendsCard = ({ trends, waiting, days }: TrendsProps) => (
  <section class="card" aria-labelledby="trends-title">
    <header>
      <h2 id="trends-title">
        Pools, {stepOf(days)} by {stepOf(days)}
      </h2>
      <AllRows count={trends.length} shown={2} />
      <span class="meta">in use over {daysText(days)}, of the slots of today; amber: all of them</span>
    </header>
    {trends.toSorted(byNeed).map(({ resource, capacity, steps, oneMore }) => (
      <div class="pad">
        <h3>
          <a href={resourcePath(resource)}>{resource}</a>, {number(capacity)} slots today
        </h3>
        <Trend label={`Slots of ${resource} in use`} {...{ steps, capacity, days }} />
        {oneMore !== null && (
          <p class="meta">
            <WithOneMore {...{ capacity, days }} more={oneMore} waiting={waiting.get(resource) ?? 0} />
          </p>
        )}
      </div>
    ))}
  </section>
);

const HoldersCard = ({ insight: { holders }, nameOf }: Pick<InsightProps, 'insight'> & { nameOf: NameOf }) => (
  <section class="card" aria-labelledby="holders-title">
    <header>
      <h2 id="holders-title">People and jobs</h2>
      <AllRows count={holders.length} shown={6} />
      <span class="meta">who held most, in hours of slots, with what is held now</span>
    </header>
    {holders.length === 0 ? (
      <p class="pad quiet">Nobody has held anything.</p>
    ) : (
      <HolderTable holders={holders} nameOf={nameOf} />
    )}
  </section>
);

/** Shades are of the busiest hour: of many resources, few are in use at once. */
const HoursCard = ({ insight: { hours } }: Pick<InsightProps, 'insight'>) => {
  const most = Math.max(0.01, ...hours.map(({ share }) => share));
  return (
    <section class="card" aria-labelledby="hours-title">
      <header>
        <h2 id="hours-title">Hours</h2>
        <span class="meta">at most {percent(most)} of all slots</span>
      </header>
      <div class="heat-room">
        <Heatmap label="In use by weekday and hour" hours={hours} most={most} />
      </div>
    </section>
  );
};

interface PoolsProps {
  readonly pools: Pools;
  readonly days: number;
}

/** Shares of the whole time. */
const OutCard = ({ pools: { outOfService }, days }: PoolsProps) => (
  <section class="card" aria-labelledby="out-title">
    <header>
      <h2 id="out-title">Out of service</h2>
      <span class="meta">share of the {daysText(days)}</span>
    </header>
    <dl class="props">
      {outOfService.map(({ resource, share }) => (
        <>
          <dt>
            <a href={resourcePath(resource)}>{resource}</a>
          </dt>
          <dd>{share < 0.01 ? 'less than 1 %' : percent(share)}</dd>
        </>
      ))}
    </dl>
  </section>
);

const UnusedCard = ({ pools: { unused, unusedCount }, days }: PoolsProps) => (
  <section class="card" aria-labelledby="unused-title">
    <header>
      <h2 id="unused-title">Not used in the last {daysText(days)}</h2>
      {unusedCount > 0 && <span class="meta">{number(unusedCount)}</span>}
    </header>
    {unusedCount === 0 ? (
      <p class="pad quiet">Every registered resource was used.</p>
    ) : (
      <div class="pad">
        <ul class="names">
          {unused.map((name) => (
            <li>
              <a href={resourcePath(name)}>{name}</a>
            </li>
          ))}
        </ul>
        {unusedCount > unused.length && <p class="meta">and {number(unusedCount - unused.length)} more</p>}
      </div>
    )}
  </section>
);
