/**
 * Mine: what the person has, and what they wait for. What they can take is above it, as on every page.
 */
import { Hono } from 'hono';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { findRows } from '../board/findRows.ts';
import { BOARD, type BoardQuery, linkTo } from '../board/query.ts';
import { BoardTable } from '../components/boardTable.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { may } from '../viewer.ts';

const AT = '/dashboard/mine';
const MINE: BoardQuery = { q: '', labels: [], on: new Set(['mine']), after: '', before: [] };

export const mineRoutes = ({ engine }: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const { credential, user } = viewer;
    const requesters = [requesterOf(user), ...(user.email === null ? [] : [user.email])];
    const { registered, others, next } = await findRows({ engine, credential, requesters, query: MINE });
    const rows = [...registered, ...others];
    return c.html(
      <Page title="Mine" viewer={viewer} at={AT} done={c.req.query('done')} renew={{ from: AT, everyS: 60 }}>
        <div data-live="mine">
          {rows.length > 0 ? (
            <BoardTable label="What you have and wait for" rows={rows} isTree={false} viewer={viewer} back={AT} />
          ) : (
            <p>
              You have nothing, and wait for nothing.{' '}
              {may(viewer, 'reserve') ? <a href={BOARD}>Look what is free</a> : <a href={BOARD}>Open the Board</a>}
            </p>
          )}
          {next !== null && (
            <p class="pages">
              <a href={linkTo(MINE)}>All of it, on the Board</a>
            </p>
          )}
        </div>
      </Page>,
    );
  });
