/**
 * The page Insight: which resources are used most, which people wait for, and which nobody needs; what was refused; and
 * the operations of the last hour.
 */
import { Hono } from 'hono';
import type { Pools } from '../../domain/history.ts';
import { lastHour } from '../../engine/tenant/activity.ts';
import { type Insight, type Refused, readInsight } from '../../operations/insight.ts';
import { HourChart } from '../components/hourChart.tsx';
import { Page } from '../components/layout.tsx';
import { PoolTable } from '../components/poolTable.tsx';
import { resourcePath } from '../components/resourceTree.tsx';
import { Scroll } from '../components/tableParts.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { number } from '../words/numbers.ts';

const AT = '/dashboard/insight';
export const insightRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const { credential } = viewer;
    const [insight, minutes] = await Promise.all([
      readInsight(deps, credential),
      lastHour(deps.engine, credential.tenant),
    ]);
    return c.html(
      <Page title="Insight" viewer={viewer} at={AT}>
        <p>
          What the last 7 days say.
          {deps.tenants === null &&
            ' This service runs without a database: it keeps the newest 10,000 ended reservations, and these figures come from them.'}
        </p>
        <PoolsPart pools={insight.pools} />
        <UnusedPart pools={insight.pools} />
        <RefusalsPart insight={insight} />
        <section aria-labelledby="hour-title">
          <h2 id="hour-title">Operations per minute in the last hour</h2>
          <HourChart minutes={minutes} />
        </section>
      </Page>,
    );
  });

const PoolsPart = ({ pools: { byShare, byWaiting } }: { pools: Pools }) => (
  <>
    <section aria-labelledby="used-title">
      <h2 id="used-title">Used most</h2>
      {byShare.length === 0 ? (
        <p>Nobody has reserved anything in the last 7 days.</p>
      ) : (
        <>
          <p class="hint">
            “Buy one more” stands where slots are in use for 70 % of the time or more, and people had to wait.
          </p>
          <PoolTable label="Resources used most" pools={byShare} />
        </>
      )}
    </section>
    <section aria-labelledby="waited-title">
      <h2 id="waited-title">Waited for longest</h2>
      {byWaiting.length === 0 ? (
        <p>Nobody has waited.</p>
      ) : (
        <PoolTable label="Resources waited for longest" pools={byWaiting} />
      )}
    </section>
  </>
);

const UnusedPart = ({ pools: { unused, unusedCount } }: { pools: Pools }) => (
  <section aria-labelledby="unused-title">
    <h2 id="unused-title">Nobody needs these</h2>
    {unusedCount === 0 ? (
      <p>Every registered resource was used.</p>
    ) : (
      <>
        <p class="hint">Registered, and neither reserved nor waited for in the last 7 days.</p>
        <ul class="names">
          {unused.map((name) => (
            <li>
              <a href={resourcePath(name)}>{name}</a>
            </li>
          ))}
        </ul>
        {unusedCount > unused.length && <p>and {number(unusedCount - unused.length)} more</p>}
      </>
    )}
  </section>
);

const RefusalsPart = ({ insight: { refusedResources, refusedLimits, refusedOthers } }: { insight: Insight }) => (
  <section aria-labelledby="refused-title">
    <h2 id="refused-title">Refused</h2>
    {refusedResources.length + refusedLimits.length === 0 ? (
      <p>Nothing was refused.</p>
    ) : (
      <div class="side-by-side">
        <RefusedTable head="Resource" label="Refused resources" rows={refusedResources} isResource />
        <RefusedTable head="Limit" label="Refused by limits" rows={refusedLimits} />
      </div>
    )}
    {refusedOthers > 0 && <p>Other resources: {number(refusedOthers)}</p>}
  </section>
);

interface RefusedProps {
  readonly head: string;
  readonly label: string;
  readonly rows: readonly Refused[];
  readonly isResource?: boolean;
}

const RefusedTable = ({ head, label, rows, isResource = false }: RefusedProps) =>
  rows.length === 0 ? null : (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">Refused</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, count }) => (
            <tr>
              <th scope="row">{isResource ? <a href={resourcePath(name)}>{name}</a> : name}</th>
              <td>{number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
