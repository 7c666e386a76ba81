/**
 * The page of the history: who had what, from when to when, and how it ended (docs/specification.md#history).
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { ENDINGS, type HistoryFilter, type PastPage } from '../../domain/history.ts';
import { HistoryTable } from '../components/historyTable.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readQuery, searched } from '../form.ts';
import { searchHistory } from '../search/searchHistory.ts';
import { ENDING_WORDS } from '../words/historyWords.ts';

const AT = '/dashboard/activity';
const ROWS = 30;

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

/** The address of the page with some fields filled in. */
export const historyPath = (fields: Partial<Query>): string => `${AT}?${searchOf(fields)}`;

const searchOf = (fields: Partial<Query>): URLSearchParams => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== '') search.set(name, value);
  return search;
};

/** The time of a field. Without scripts, what was typed is UTC. */
const fieldTime = (typed: string | undefined, exact: string | undefined) =>
  typed === undefined || exact === undefined ? timeOf(typed) : new Date(exact);

const filterOf = ({ resource, requester, from, fromExact, to, toExact }: Query): HistoryFilter => ({
  resource: resource || undefined,
  requester: requester || undefined,
  from: fieldTime(from, fromExact),
  to: fieldTime(to, toExact),
});

export const historyRoutes = ({ history, reads }: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const query = readQuery(c, Query);
    const search = { filter: filterOf(query), ending: query.ending || undefined, cursor: query.cursor, rows: ROWS };
    const page = await searchHistory(history, viewer.credential.tenant, search, () => reads.debit(viewer.credential));
    return c.html(
      <Page title="History" viewer={viewer} at={AT}>
        <Filters query={query} />
        <HistoryTable label="History" entries={page.entries} none={page.next === null ? 'Nothing was found.' : MORE} />
        <Pages page={page} query={query} />
      </Page>,
    );
  });

const Filters = ({ query: { resource, requester, from, fromExact, to, toExact, ending } }: { query: Query }) => (
  <search>
    <form class="fields wide" action={AT}>
      <label>
        Resource{' '}
        <input
          name="resource"
          value={resource}
          maxlength={256}
          placeholder="whole name, as staging"
          data-shortcut="/"
        />
      </label>
      <label>
        Requester <input name="requester" value={requester} maxlength={256} placeholder="whole name, as ci-42" />
      </label>
      <TimeField label="Ended from" name="from" at={fieldTime(from, fromExact)} />
      <TimeField label="Ended before" name="to" at={fieldTime(to, toExact)} />
      <label>
        How it ended{' '}
        <select name="ending">
          <option value="">any</option>
          {ENDINGS.map((one) => (
            <option value={one} selected={one === ending}>
              {ENDING_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      <p class="buttons">
        <button type="submit">Show</button>
      </p>
    </form>
  </search>
);

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
const Pages = ({ page, query }: { page: PastPage; query: Query }) => {
  const { cursor, ending, resource, requester } = query;
  const { from, to } = filterOf(query);
  const csv = { resource, requester, from: from?.toISOString(), to: to?.toISOString() };
  return (
    <nav class="pages" aria-label="Pages of the history">
      {cursor !== undefined && <a href={historyPath({ ...query, cursor: undefined })}>Latest</a>}{' '}
      {page.next !== null && <a href={historyPath({ ...query, cursor: page.next })}>Older</a>}{' '}
      <a href={`/api/v1/Reservation/history?${csvSearch(csv)}`}>
        {ending === '' ? 'All of it as CSV' : 'All of it as CSV, with every ending'}
      </a>
    </nav>
  );
};

const csvSearch = (fields: Partial<Query>): URLSearchParams => {
  const search = searchOf(fields);
  search.set('format', 'csv');
  return search;
};
