/**
 * The report of a month, to print: how much was used, by whom, and what people waited for.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import type { HolderUsage, HoursOfAll, Pools, PoolUsage } from '../../domain/history.ts';
import { debitLooked } from '../../operations/charging.ts';
import { historySince, readKnown } from '../../operations/insight.ts';
import { span } from '../assets/span.js';
import { HolderName } from '../components/holderTable.tsx';
import { Page } from '../components/layout.tsx';
import { Figure } from '../components/resourceAside.tsx';
import { Scroll } from '../components/tableParts.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { readQuery } from '../form.ts';
import { type NameOf, namesOf } from '../people.ts';
import { type Month, monthAfter, monthBefore, monthOf, REPORT } from '../words/months.ts';
import { number, percent } from '../words/numbers.ts';

/** Rows of a table. */
const ROWS = 50;
const HOUR_MS = 3_600_000;

const Query = z.object({
  month: z
    .string()
    .regex(/^(19[7-9]|2\d\d)\d-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
});

interface Report {
  /** When the history begins, if that is within the month, in ms since 1970 UTC. */
  readonly sinceMs: number | null;
  readonly total: HoursOfAll;
  readonly pools: Pools;
  readonly holders: readonly HolderUsage[];
}

export const reportRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(REPORT, async (c) => {
    const { viewer } = c.var;
    const { month } = readQuery(c, Query);
    const shown = month === undefined ? monthBefore(new Date()) : monthOf(month);
    const report = await readReport(deps, viewer, shown);
    // Others read it, too: the person who looks at it has their name in it.
    const nameOf = await namesOf(
      deps,
      { user: null, credential: viewer.credential },
      report.holders.map(({ name }) => name),
    );
    return c.html(
      <Page
        title={`Report of ${shown.name}`}
        viewer={viewer}
        at="/dashboard/activity"
        head={{ actions: <Months shown={shown} /> }}
      >
        <p class="quiet">
          {viewer.user.tenantName}, from {shown.from} to {shown.to}, UTC. Of reservations that ended
          {deps.tenants === null && ', the newest 10,000'}.
          {report.sinceMs !== null &&
            ` The history begins on ${new Date(report.sinceMs).toISOString().slice(0, 10)}: shares are of the time since.`}
        </p>
        {report.total.reservations === 0 ? (
          <p>Nothing ended in {shown.name}, as far as the history goes back.</p>
        ) : (
          <ReportParts report={report} nameOf={nameOf} />
        )}
      </Page>,
    );
  });

async function readReport(deps: DashboardDeps, { credential }: Viewer, { from, to }: Month): Promise<Report> {
  const { history, engine, reads } = deps;
  const { tenant } = credential;
  const frame = { fromMs: Date.parse(from), toMs: Math.min(Date.parse(to), Date.now()) };
  const hourly = { ...frame, stepMs: HOUR_MS };
  const [known, usage] = await Promise.all([readKnown(engine, credential), history.hours(tenant, hourly)]);
  const sinceMs = await historySince(history, tenant, hourly, usage.heldMs);
  const [{ pools, looked }, holders] = await Promise.all([
    history.pools(tenant, { ...frame, fromMs: sinceMs ?? frame.fromMs, known, heldNow: [], outNow: [], limit: ROWS }),
    history.holders(tenant, { ...frame, heldNow: [], limit: ROWS }),
  ]);
  await debitLooked(reads, credential, usage.looked + looked + holders.looked);
  return { sinceMs, total: usage, pools, holders: holders.holders };
}

const Months = ({ shown }: { shown: Month }) => {
  const link = (month: Month) => `${REPORT}?${new URLSearchParams({ month: month.month })}`;
  const [before, after] = [monthBefore(new Date(shown.from)), monthAfter(new Date(shown.from))];
  return (
    <>
      <a class="button" href={link(before)}>
        {before.name}
      </a>
      {Date.parse(after.from) < Date.now() && (
        <a class="button" href={link(after)}>
          {after.name}
        </a>
      )}
      <a
        class="button"
        href={`/dashboard/activity/history.csv?${new URLSearchParams({ from: shown.from, to: shown.to })}`}
      >
        As CSV
      </a>
      <button type="button" class="primary" id="print" data-print hidden>
        Print
      </button>
    </>
  );
};

/** Hours, as `1,204 h`; less than ten with their minutes. */
const hoursText = (ms: number): string => (ms < 10 * HOUR_MS ? span(ms) : `${number(Math.round(ms / HOUR_MS))} h`);
const waitText = (ms: number | null): string => (ms === null ? '–' : span(ms));

const ReportParts = ({ report: { total, pools, holders }, nameOf }: { report: Report; nameOf: NameOf }) => (
  <div class="stack">
    <section class="card" aria-label="In all">
      <dl class="figs">
        <Figure name="reservations" value={number(total.reservations)} />
        <Figure name="held in all" value={hoursText(total.heldMs.reduce((sum, ms) => sum + ms, 0))} />
        <Figure name="mean wait" value={waitText(total.meanWaitedMs)} />
        <Figure name="95 % waited at most" value={waitText(total.p95WaitedMs)} />
      </dl>
    </section>
    <section class="card" aria-labelledby="resources-title">
      <header>
        <h2 id="resources-title">Resources</h2>
        <span class="meta">those used most</span>
      </header>
      <Table head={['Resource', 'In use', 'Reservations', 'Mean wait', 'Gave up']} rows={pools.byShare.map(poolRow)} />
    </section>
    <section class="card" aria-labelledby="people-title">
      <header>
        <h2 id="people-title">People and jobs</h2>
        <span class="meta">those who held most, in hours of slots</span>
      </header>
      <Table
        head={['Who', 'Held', 'Reservations', 'Mean wait']}
        rows={holders.map(({ name, names, heldMs, reservations, meanWaitedMs }) => [
          <HolderName name={name} names={names} nameOf={nameOf} />,
          hoursText(heldMs),
          number(reservations),
          waitText(meanWaitedMs),
        ])}
        sum={[
          'In all',
          hoursText(total.heldMs.reduce((sum, ms) => sum + ms, 0)),
          number(total.reservations),
          waitText(total.meanWaitedMs),
        ]}
      />
    </section>
  </div>
);

const poolRow = ({ resource, share, reservations, meanWaitedMs, gaveUp }: PoolUsage) => [
  resource,
  percent(share),
  number(reservations),
  waitText(meanWaitedMs),
  number(gaveUp),
];

interface TableProps {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | ReturnType<typeof HolderName>)[])[];
  readonly sum?: readonly string[];
}

const Table = ({ head, rows, sum }: TableProps) => (
  <Scroll label={head[0] ?? ''}>
    <table class="sums">
      <thead>
        <tr>
          {head.map((name, i) => (
            <th scope="col" class={i > 0 ? 'num' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest]) => (
          <tr>
            <th scope="row">{first}</th>
            {rest.map((cell) => (
              <td class="num">{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
      {sum && rows.length > 0 && (
        <tfoot>
          <tr>{sum.map((cell, i) => (i === 0 ? <th scope="row">{cell}</th> : <td class="num">{cell}</td>))}</tr>
        </tfoot>
      )}
    </table>
  </Scroll>
);
