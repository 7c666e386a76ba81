/**
 * The Board, the first page: who has what, why and until when, who is next and when, and what to do about it. Its view
 * and everything that it is filtered by stand in its address.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { BOARD, type BoardQuery, linkTo, readQuery, unfiltered, type View } from '../board/query.ts';
import { type Board, readBoard } from '../board/readBoard.ts';
import { type SavedView, savedViews, saveViews, VIEWS_AT, ViewName } from '../board/savedViews.ts';
import { bookPath } from '../bookings/paths.ts';
import { Filters, SavedViews } from '../components/boardFilters.tsx';
import { BoardGrid } from '../components/boardGrid.tsx';
import { BoardMine } from '../components/boardMine.tsx';
import { BoardTable } from '../components/boardTable.tsx';
import { TvPage } from '../components/boardTv.tsx';
import { BookingTroubles } from '../components/bookingTroubles.tsx';
import { BulkBar } from '../components/bulkBar.tsx';
import { Count } from '../components/head.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/layout.tsx';
import { NewTenant } from '../components/newTenant.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { type Failed, readForm } from '../form.ts';
import type { ICONS } from '../icons.ts';
import { actionPath, originOf } from '../paths.ts';
import { TimelineLegend } from '../timeline/timeline.tsx';
import { may } from '../viewer.ts';
import { labelsText } from '../words/labels.ts';
import { zoneOf } from '../zone.ts';

/** How often a page is fetched again though nothing has changed: now moves on. */
const RENEW_S = 30;

export const boardRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>()
    .get(BOARD, (c) => showBoard(deps, c))
    .post(VIEWS_AT, async (c) => {
      const query = readQuery(c);
      const { name } = await readForm(c, z.object({ name: ViewName }));
      const others = savedViews(c, deps.publicUrl).filter((one) => one.name !== name);
      if (saveViews(c, deps.publicUrl, [...others, { name, query }])) return c.redirect(linkTo(query), 303);
      const fault = 'There is no room for another view: forget one first.';
      return showBoard(deps, c, { status: 409, fault });
    })
    .post(`${VIEWS_AT}/forget`, (c) => {
      const query = readQuery(c);
      const search = searchOf(query);
      const others = savedViews(c, deps.publicUrl).filter((one) => searchOf(one.query) !== search);
      saveViews(c, deps.publicUrl, others);
      return c.redirect(linkTo(unfiltered(query)), 303);
    });

/** The part of a query that a saved view keeps. */
const searchOf = (query: BoardQuery): string =>
  linkTo({ ...query, view: 'timeline', span: 'today', sort: null, folded: [], page: 1 });

/** @param failed the failure of a form that was sent from the Board */
export async function showBoard(deps: DashboardDeps, c: Context<DashboardEnv>, failed?: Failed): Promise<Response> {
  const { viewer } = c.var;
  const query = readQuery(c);
  const board = await readBoard(deps, viewer, query, zoneOf(c));
  if (query.view === 'tv') return c.html(<TvPage board={board} tenantName={viewer.user.tenantName} />);
  const saved = savedViews(c, deps.publicUrl);
  return c.html(
    <BoardPage
      board={board}
      saved={saved}
      viewer={viewer}
      done={c.req.query('done')}
      failed={failed}
      origin={originOf(deps, c)}
    />,
    failed?.status ?? 200,
  );
}

interface BoardPageProps {
  readonly board: Board;
  readonly saved: readonly SavedView[];
  readonly viewer: Viewer;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
  readonly origin: string;
}

const BoardPage = ({ board, saved, viewer, done, failed, origin }: BoardPageProps) => {
  const { query, counts } = board;
  const isEmpty = counts.all === 0;
  const head = {
    counts: isEmpty ? undefined : <Counts board={board} />,
    actions: <HeadActions query={query} viewer={viewer} isEmpty={isEmpty} isBookable={board.isBookable} />,
    isWide: true,
  };
  const renew = { from: linkTo(query), everyS: RENEW_S };
  return (
    <Page title="Board" viewer={viewer} at={BOARD} list="rows" {...{ head, renew, done, failed }}>
      <BookingTroubles viewer={viewer} />
      <BoardMine mine={board.mine} viewer={viewer} />
      {!isEmpty && (
        <div class="strip">
          <SavedViews board={board} saved={saved} />
          <Filters board={board} />
        </div>
      )}
      <div data-live="board" id="rows" tabindex={-1}>
        <Rows board={board} viewer={viewer} origin={origin} />
      </div>
    </Page>
  );
};

const Counts = ({ board: { query, counts } }: { board: Board }) => {
  const all = unfiltered(query);
  return (
    <>
      <Count of={counts.free} word="free" to={linkTo({ ...all, on: new Set(['free']) })} />
      <Count of={counts.used} word="in use" to={linkTo({ ...all, on: new Set(['used']) })} />
      <Count of={counts.waiting} word="waiting" to={linkTo({ ...all, on: new Set(['waiting']) })} />
      {counts.notReady > 0 && (
        <Count of={counts.notReady} word="not ready" to={linkTo({ ...all, on: new Set(['notready']) })} />
      )}
      {counts.look > 0 && (
        <Count
          of={counts.look}
          word={counts.look === 1 ? 'needs a look' : 'need a look'}
          to={linkTo({ ...all, on: new Set(['look']) })}
        />
      )}
    </>
  );
};

const SWITCH: readonly (readonly [View, string, keyof typeof ICONS])[] = [
  ['timeline', 'Timeline', 'timeline'],
  ['table', 'Table', 'table'],
  ['grid', 'Grid', 'grid'],
];

interface HeadActionsProps {
  readonly query: BoardQuery;
  readonly viewer: Viewer;
  readonly isEmpty: boolean;
  readonly isBookable: boolean;
}

const HeadActions = ({ query, viewer, isEmpty, isBookable }: HeadActionsProps) => (
  <>
    {!isEmpty && (
      <nav class="seg" aria-label="View">
        {SWITCH.map(([view, text, icon]) => (
          <a href={linkTo(query, { view })} aria-current={query.view === view ? 'true' : undefined}>
            <Icon name={icon} /> {text}
          </a>
        ))}
      </nav>
    )}
    {may(viewer, 'reserve') && isBookable && (
      <a class="button" href={bookPath({ match: labelsText(query.labels), back: linkTo(query) })} data-shortcut="b">
        <Icon name="board" /> Book later
      </a>
    )}
    {may(viewer, 'reserve') && (
      <a class="button primary" href={actionPath('reserve', { back: linkTo(query) })} data-shortcut="r">
        <Icon name="plus" /> Reserve{' '}
        <span class="key" aria-hidden="true">
          R
        </span>
      </a>
    )}
  </>
);

const Rows = ({ board, viewer, origin }: Pick<BoardPageProps, 'board' | 'viewer' | 'origin'>) => {
  const { query, total, isPartial } = board;
  if (board.counts.all === 0) return <NewTenant mayDefine={may(viewer, 'define')} origin={origin} />;
  return (
    <>
      {total === 0 && (
        <p class="notice">
          Nothing fits. <a href={linkTo(unfiltered(query))}>Show everything</a>
        </p>
      )}
      {total > 0 &&
        (query.view === 'grid' ? (
          <BoardGrid board={board} viewer={viewer} />
        ) : (
          <BoardTable board={board} viewer={viewer} />
        ))}
      {total > 0 && query.view === 'timeline' && <TimelineLegend />}
      {query.on.has('look') && (
        <p class="hint">
          Needs a look: what is out of service, and what is held without an end for more than 8 hours, or for more than
          an hour while somebody waits for it.
        </p>
      )}
      {isPartial && <p class="hint">There are more than the Board can show. Search for a name, or choose a label.</p>}
      <Pages board={board} />
      {query.view === 'table' && <BulkBar board={board} viewer={viewer} />}
    </>
  );
};

const Pages = ({ board: { query, pages } }: { board: Board }) => {
  if (pages === 1) return null;
  const page = Math.min(query.page, pages);
  return (
    <nav class="pages" aria-label="Pages of the Board">
      {page > 1 && <a href={linkTo(query, { page: page - 1 })}>Previous</a>} Page {page} of {pages}{' '}
      {page < pages && <a href={linkTo(query, { page: page + 1 })}>Next</a>}
    </nav>
  );
};
