/**
 * The Board, the first page: who has what, why and until when, who is next, and what to do about it. Everything that it
 * is filtered by stands in its address.
 */
import { Hono } from 'hono';
import { labelsInUse } from '../../engine/definitions/list.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { type BoardRows, findRows } from '../board/findRows.ts';
import {
  BOARD,
  type BoardQuery,
  fieldsOf,
  isFiltered,
  labelled,
  linkTo,
  nextPage,
  previousPage,
  readQuery,
  SWITCHES,
  switched,
} from '../board/query.ts';
import { BoardTable } from '../components/boardTable.tsx';
import { Page } from '../components/layout.tsx';
import { RegisterForm } from '../components/registerForm.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { may } from '../viewer.ts';

/** Labels to choose from. */
const MAX_CHIPS = 20;

export const boardRoutes = ({ engine }: DashboardDeps) =>
  new Hono<DashboardEnv>().get(BOARD, async (c) => {
    const { viewer } = c.var;
    const { credential, user } = viewer;
    const query = readQuery(c);
    const requesters = [requesterOf(user), ...(user.email === null ? [] : [user.email])];
    const [rows, labels] = await Promise.all([
      findRows({ engine, credential, requesters, query }),
      labelsInUse(engine, credential, MAX_CHIPS),
    ]);
    return c.html(
      <Page
        title="Board"
        viewer={viewer}
        at={BOARD}
        done={c.req.query('done')}
        renew={{ from: linkTo(query), everyS: 60 }}
      >
        <Filters query={query} labels={labels} />
        <div data-live="board">
          <Rows rows={rows} query={query} viewer={viewer} />
        </div>
      </Page>,
    );
  });

const Filters = ({ query, labels }: { query: BoardQuery; labels: readonly string[] }) => (
  <search class="filter-bar">
    <form class="search" action={BOARD}>
      <label>
        <span class="out-of-sight">Search by name or label</span>
        <input type="search" name="q" value={query.q} maxlength={256} placeholder="Name or label" data-shortcut="/" />
      </label>
      {fieldsOf({ ...query, q: '', after: '', before: [] }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" id="search">
        Search
      </button>
      {isFiltered(query) && <a href={BOARD}>Clear all filters</a>}
    </form>
    <ul class="chips" aria-label="Filters">
      {SWITCHES.map(([name, text]) => (
        <Chip text={text} isOn={query.on.has(name)} to={linkTo(switched(query, name))} />
      ))}
      {[...new Set([...query.labels, ...labels])].map((label) => (
        <Chip text={label} isOn={query.labels.includes(label)} to={linkTo(labelled(query, label))} />
      ))}
    </ul>
  </search>
);

const Chip = ({ text, isOn, to }: { text: string; isOn: boolean; to: string }) => (
  <li>
    <a class="chip" href={to} aria-current={isOn ? 'true' : undefined}>
      {text}
      {isOn && (
        <>
          {' '}
          <span aria-hidden="true">×</span>
          <span class="out-of-sight">: on. Turn it off</span>
        </>
      )}
    </a>
  </li>
);

const Rows = ({ rows, query, viewer }: { rows: BoardRows; query: BoardQuery; viewer: Viewer }) => {
  const { registered, others, next, isPartial } = rows;
  const isEmpty = registered.length + others.length === 0;
  const common = { viewer, back: linkTo(query) };
  return (
    <>
      {registered.length > 0 && (
        <BoardTable label="Resources" rows={registered} isTree={!isFiltered(query)} {...common} />
      )}
      {others.length > 0 && (
        <section aria-labelledby="others-title">
          <h2 id="others-title">Not registered</h2>
          <BoardTable label="Held without being registered" rows={others} isTree={false} {...common} />
        </section>
      )}
      {isEmpty &&
        (isFiltered(query) || query.after !== '' ? <NothingFits isPartial={isPartial} /> : <Empty viewer={viewer} />)}
      {isPartial && <p class="hint">There are more than were looked at: search for a name, or go on.</p>}
      <Pages query={query} next={next} />
    </>
  );
};

const NothingFits = ({ isPartial }: { isPartial: boolean }) => (
  <p class="notice">
    {isPartial ? 'Nothing has been found yet.' : 'Nothing fits.'} <a href={BOARD}>Show everything</a>
  </p>
);

const Empty = ({ viewer }: { viewer: Viewer }) => (
  <>
    <div class="notice">
      <p>
        Nothing is registered or held yet. Any name can be reserved right away: a device, an environment, a test bench.
        The <a href="/dashboard/overview">overview</a> has the first steps, with commands to copy.
      </p>
      {may(viewer, 'define') && <p>Pools, trees and labels are registered first: begin with one here.</p>}
    </div>
    {may(viewer, 'define') && <RegisterForm title="Register the first resource" />}
  </>
);

const Pages = ({ query, next }: { query: BoardQuery; next: string | null }) => {
  const previous = previousPage(query);
  if (previous === null && next === null) return null;
  return (
    <nav class="pages" aria-label="Pages of the board">
      {previous && <a href={linkTo(previous)}>Previous</a>}{' '}
      {next !== null && <a href={linkTo(nextPage(query, next))}>Next</a>}
    </nav>
  );
};
