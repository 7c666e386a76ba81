/**
 * The page of the history: who had what, from when to when, and how it ended (docs/specification.md#history), with who
 * has it now; and what ended as CSV.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { ENDINGS, type PastPage } from '../../domain/history.ts';
import { csvHeaders } from '../../http/call/csv.ts';
import { exportHistory } from '../../operations/history.ts';
import { BOARD } from '../board/query.ts';
import { Page } from '../components/layout.tsx';
import { PastTable } from '../components/pastTable.tsx';
import { FilterField } from '../components/searchForm.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readQuery, searched } from '../form.ts';
import { ACTIVITY } from '../paths.ts';
import { namesOf } from '../people.ts';
import { csvOf } from '../search/historyCsv.ts';
import { type HeldNow, searchHeld } from '../search/searchHeld.ts';
import { filterOf, type HistoryWish, searchHistory, wantedBy } from '../search/searchHistory.ts';
import { ENDING_WORDS } from '../words/auditSentences.ts';
import { monthBefore, REPORT } from '../words/months.ts';
import { atHour, zoneOf } from '../zone.ts';

const CSV_AT = `${ACTIVITY}/history.csv`;
const ROWS = 50;

const NOTHING_HELD: HeldNow = { rows: [], isPartial: false };

const MORE = 'Nothing was found among the latest entries. Older ones may match.';

/** A local time without a zone, as forms send it, is UTC. */
const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/)
  .refine((text) => !Number.isNaN(Date.parse(utc(text))))
  .optional()
  .catch(undefined);
const utc = (text: string) => (text.includes('T') ? `${text}Z` : text);
const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(utc(text)));

/** The same time with its zone, by the script of the pages. */
const exactMoment = z.iso.datetime().optional().catch(undefined);

const Query = z.object({
  resource: searched,
  requester: searched,
  from: moment,
  fromExact: exactMoment,
  to: moment,
  toExact: exactMoment,
  ending: z.enum(['', ...ENDINGS]).catch(''),
  cursor: z.string().max(100).optional(),
});
type Query = z.infer<typeof Query>;

const addressOf = (path: string, fields: Partial<Query>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== '') search.set(name, value);
  return `${path}?${search}`;
};

/** The time of a field. Without scripts, what was typed is UTC. */
const fieldTime = (typed: string | undefined, exact: string | undefined) =>
  typed === undefined || exact === undefined ? timeOf(typed) : new Date(exact);

const wishOf = ({ resource, requester, from, fromExact, to, toExact, ending }: Query): HistoryWish => ({
  resource,
  requester,
  from: fieldTime(from, fromExact),
  to: fieldTime(to, toExact),
  ending: ending || undefined,
});

export const historyRoutes = (deps: DashboardDeps) => {
  const { engine, history, reads } = deps;
  return new Hono<DashboardEnv>()
    .get(ACTIVITY, async (c) => {
      const { viewer } = c.var;
      const { credential } = viewer;
      const query = readQuery(c, Query);
      const place = { cursor: query.cursor, rows: ROWS };
      const wish = wishOf(query);
      const [page, held] = await Promise.all([
        searchHistory(history, credential.tenant, wish, place, () => reads.debit(credential)),
        query.cursor === undefined ? searchHeld(engine, credential, wish) : NOTHING_HELD,
      ]);
      const rows = [...held.rows, ...page.entries];
      const nameOf = await namesOf(
        deps,
        viewer,
        rows.map(({ requester }) => requester),
      );
      return c.html(
        <Page title="Activity" viewer={viewer} at={ACTIVITY} head={{ actions: <MonthLinks />, isWide: true }}>
          <Filters query={query} zone={zoneOf(c)} />
          <div class="card">
            <PastTable
              label="History"
              rows={rows}
              nameOf={nameOf}
              isExact
              none={page.next === null ? nothingOf(wish) : MORE}
            />
            {held.isPartial && (
              <p class="pad meta">
                More may be in use now than these. <a href={BOARD}>The Board</a> says who has what.
              </p>
            )}
            <Pages page={page} query={query} />
          </div>
        </Page>,
      );
    })
    .get(CSV_AT, async (c) => {
      const wish = wishOf(readQuery(c, Query));
      const list = await exportHistory(deps, c.var.viewer.credential, filterOf(wish));
      return c.body(csvOf(list, wantedBy(wish)), 200, csvHeaders('history'));
    });
};

const nothingOf = ({ from, to }: HistoryWish): string =>
  from && to && from > to ? 'Nothing was found: “From” is later than “To”.' : 'Nothing was found.';

/** The exports of last month. */
const MonthLinks = () => {
  const { month, name, from, to } = monthBefore(new Date());
  return (
    <>
      <a class="button" href={addressOf(CSV_AT, { from, to })}>
        {name} as CSV
      </a>
      <a class="button" href={`${REPORT}?${new URLSearchParams({ month })}`}>
        Report of {name}
      </a>
    </>
  );
};

interface FiltersProps {
  readonly query: Query;
  /** Of the browser, in which days and nights are. */
  readonly zone: string;
}

const Filters = ({ query, zone }: FiltersProps) => {
  const { resource, requester, from, fromExact, to, toExact, ending } = query;
  return (
    <search>
      <form class="filters" action={ACTIVITY}>
        <FilterField name="resource" label="Resource" value={resource} isFirst />
        <FilterField name="requester" label="Who" value={requester} />
        <select name="ending" aria-label="How it ended">
          <option value="">any ending</option>
          {ENDINGS.map((one) => (
            <option value={one} selected={one === ending}>
              {ENDING_WORDS[one]}
            </option>
          ))}
        </select>
        <button type="submit" id="show-history">
          Show
        </button>
        <Spans query={query} zone={zone} />
        <details id="times" open={(from ?? to) !== undefined}>
          <summary>Times</summary>
          <fieldset>
            <legend class="out-of-sight">Times</legend>
            <TimeField label="From" name="from" at={fieldTime(from, fromExact)} />
            <TimeField label="To" name="to" at={fieldTime(to, toExact)} />
          </fieldset>
          <p class="hint">
            All that was in use, out of service, or waiting at some time in between; what still is comes first. A part
            of a name is enough; in quotes it is the whole name.
          </p>
        </details>
      </form>
    </search>
  );
};

/** Spans of time to choose by a click: the hours and days at which they begin and end, 0 is today. */
const SPANS = [
  { name: 'Last night', from: [18, -1], to: [8, 0] },
  { name: 'Yesterday', from: [0, -1], to: [0, 0] },
  { name: 'Today', from: [0, 0], to: [0, 1] },
] as const;

const Spans = ({ query, zone }: FiltersProps) => {
  const chosen = [fieldTime(query.from, query.fromExact), fieldTime(query.to, query.toExact)];
  return (
    <nav class="seg" aria-label="Spans of time">
      {SPANS.map(({ name, from, to }) => {
        const ends = [from, to].map(([hour, day]) => atHour(hour, day, zone, Date.now()));
        const [begin, end] = ends.map((ms) => new Date(ms).toISOString().slice(0, 16));
        const isChosen = ends.every((ms, i) => ms === chosen[i]?.getTime());
        const { resource, requester, ending } = query;
        return (
          <a
            href={addressOf(ACTIVITY, { resource, requester, ending, from: begin, to: end })}
            aria-current={isChosen ? 'true' : undefined}
          >
            {name}
          </a>
        );
      })}
    </nav>
  );
};

interface TimeFieldProps {
  readonly label: string;
  readonly name: string;
  readonly at: Date | undefined;
}

const TimeField = ({ label, name, at }: TimeFieldProps) => (
  <label>
    <span>
      {label} (<span data-zone>UTC</span>)
    </span>{' '}
    <input
      type="datetime-local"
      name={name}
      value={at?.toISOString().slice(0, 16) ?? ''}
      data-at={at?.toISOString()}
      data-exact={`${name}Exact`}
    />
    <input type="hidden" name={`${name}Exact`} />
  </label>
);

/** Links to older entries, to the latest ones, and to all as CSV. */
const Pages = ({ page, query }: { page: PastPage; query: Query }) => (
  <nav class="pages pad" aria-label="Pages of the history">
    {query.cursor !== undefined && <a href={addressOf(ACTIVITY, { ...query, cursor: undefined })}>Latest</a>}{' '}
    {page.next !== null && <a href={addressOf(ACTIVITY, { ...query, cursor: page.next })}>Older</a>}{' '}
    <a href={addressOf(CSV_AT, { ...query, cursor: undefined })}>All of it as CSV</a>
  </nav>
);
