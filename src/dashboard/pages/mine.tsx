/**
 * Mine: what the person has, and what they wait for. What they can take is above it, as on every page.
 */
import { Hono } from 'hono';
import { BOARD, linkTo, queryOf } from '../board/query.ts';
import { readBoard } from '../board/readBoard.ts';
import { BoardTable } from '../components/boardTable.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { may } from '../viewer.ts';

const AT = '/dashboard/mine';
const MINE = queryOf(new URLSearchParams({ mine: '1' }));

export const mineRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const board = await readBoard(deps, viewer, MINE);
    return c.html(
      <Page title="Mine" viewer={viewer} at={AT} done={c.req.query('done')} renew={{ from: AT, everyS: 60 }}>
        <div data-live="mine">
          {board.total > 0 ? (
            <BoardTable board={board} viewer={viewer} back={AT} />
          ) : (
            <p>
              You have nothing, and wait for nothing.{' '}
              {may(viewer, 'reserve') ? <a href={BOARD}>Look what is free</a> : <a href={BOARD}>Open the Board</a>}
            </p>
          )}
          {board.pages > 1 && (
            <p class="pages">
              <a href={linkTo(MINE)}>All of it, on the Board</a>
            </p>
          )}
        </div>
      </Page>,
    );
  });
