/**
 * The page of the history: who had what, from when to when, and how it ended (docs/specification.md#history).
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { ENDINGS, type HistoryFilter, type PastPage } from '../../domain/history.ts';
import { HistoryTable } from '../components/historyTable.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { searched } from '../form.ts';
import { ENDING_WORDS } from '../historyWords.ts';
import { searchHistory } from '../searchHistory.ts';

const AT = '/dashboard/history';
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

const Query = z.object({
  resource: searched,
  requester: searched,
  from: moment,
  to: moment,
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

const filterOf = ({ resource, requester, from, to }: Query): HistoryFilter => ({
  resource: resource || undefined,
  requester: requester || undefined,
  from: timeOf(from),
  to: timeOf(to),
});

export const historyRoutes = ({ history }: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const query = Query.parse(c.req.query());
    const search = { filter: filterOf(query), ending: query.ending || undefined, cursor: query.cursor, rows: ROWS };
    const page = await searchHistory(history, viewer.credential.tenant, search);
    return c.html(
      <Page title="History" viewer={viewer} at={AT}>
        <Filters query={query} />
        <HistoryTable label="History" entries={page.entries} none={page.next === null ? 'Nothing was found.' : MORE} />
        <Pages page={page} query={query} />
      </Page>,
    );
  });

const Filters = ({ query: { resource, requester, from, to, ending } }: { query: Query }) => (
  <search>
    <form class="fields wide" action={AT}>
      <label>
        Resource <input name="resource" value={resource} maxlength={256} placeholder="staging" />
      </label>
      <label>
        Requester <input name="requester" value={requester} maxlength={256} placeholder="ci-42" />
      </label>
      <label>
        Ended from (UTC) <input type="datetime-local" name="from" value={withTime(from)} />
      </label>
      <label>
        Ended before (UTC) <input type="datetime-local" name="to" value={withTime(to)} />
      </label>
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

const withTime = (text: string | undefined) =>
  text === undefined || text.includes('T') ? (text ?? '') : `${text}T00:00`;

/** Links to older entries, to the latest ones, and to all as CSV. */
const Pages = ({ page, query }: { page: PastPage; query: Query }) => {
  const { cursor, ending, ...search } = query;
  const csv = { ...search, from: timeOf(query.from)?.toISOString(), to: timeOf(query.to)?.toISOString() };
  return (
    <nav class="pages" aria-label="Pages of the history">
      {cursor !== undefined && <a href={historyPath({ ...query, cursor: undefined })}>Latest</a>}{' '}
      {page.next !== null && <a href={historyPath({ ...query, cursor: page.next })}>Older</a>}{' '}
      {ending === '' && <a href={`/api/v1/Reservation/history?${csvSearch(csv)}`}>All of it as CSV</a>}
    </nav>
  );
};

const csvSearch = (fields: Partial<Query>): URLSearchParams => {
  const search = searchOf(fields);
  search.set('format', 'csv');
  return search;
};
