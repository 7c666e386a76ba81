/**
 * Releases many reservations at once, from the table of the Board. A person who has signed in may release what they
 * hold without its token, and operators may take away what others hold (docs/specification.md#release).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { reset, unreserve } from '../../operations/reservations.ts';
import { failureText, type Hold, readSelected } from '../actions/releaseMany.ts';
import { releasedOfMany, remember } from '../actions/undo.ts';
import { BOARD, linkTo, readQuery } from '../board/query.ts';
import { RELEASES_AT } from '../components/bulkBar.tsx';
import { ReleaseManyPage } from '../components/releaseManyPage.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { attempt, check, type Failed, readForm } from '../form.ts';
import { releaseSchema } from '../formSchemas.ts';
import { backTo } from '../paths.ts';
import { needs } from '../viewer.ts';
import { showBoard } from './board.tsx';

/** The form that releases everything. Somebody who may do that types whose it is. */
const Reset = z.object({ tenant: z.string().default('') });
const OTHER_NAME: Failed = {
  status: 400,
  fault: 'Nothing was released: that is not the name of the tenant.',
};
const NOTHING_SELECTED: Failed = { status: 400, fault: 'Select the reservations to release first.' };

export const reservationsRoutes = (deps: DashboardDeps) => {
  const Releases = releaseSchema(deps);
  const back = (c: Context<DashboardEnv>, done: string) =>
    c.redirect(backTo(linkTo({ ...readQuery(c), isSelected: false }), { done }), 303);
  const show = (c: Context<DashboardEnv>, failed: Failed) => showBoard(deps, c, failed);

  return new Hono<DashboardEnv>()
    .get(RELEASES_AT, (c) => {
      // Where the list of reservations was before.
      const { q, requester = '', label } = c.req.query();
      const search = new URLSearchParams({ view: 'table', q: q || requester, ...(label && { label }) });
      if (search.get('q') === '') search.delete('q');
      return c.redirect(`${BOARD}?${search}`, 308);
    })
    .use(`${RELEASES_AT}/selected`, needs('reserve'))
    .use(`${RELEASES_AT}/release`, needs('reserve'))
    .use(`${RELEASES_AT}/reset`, needs('reset'))
    .post(`${RELEASES_AT}/selected`, async (c) => {
      const selected = await readSelected(c);
      if (selected.length === 0) return show(c, NOTHING_SELECTED);
      return c.html(<ReleaseManyPage viewer={c.var.viewer} selected={selected} query={readQuery(c)} />);
    })
    .post(`${RELEASES_AT}/release`, async (c) => {
      const selected = await readSelected(c);
      if (selected.length === 0) return show(c, NOTHING_SELECTED);
      const { viewer } = c.var;
      // The page does without Undo rather than fail.
      const undoable = await releasedOfMany(deps.engine, viewer, selected).catch(() => []);
      const released = await attempt(deps, c, async () =>
        unreserve(deps, viewer.credential, check(Releases, selected)),
      );
      if (!released.ok) return show(c, released);
      const { result } = released.result;
      const isReleased = ({ resource, requester }: Hold) =>
        result.some((one) => one.resource === resource && one.requester === requester && one.status === 'RELINQUISHED');
      if (undoable.length > 0) remember(c, deps.publicUrl, undoable.filter(isReleased));
      const fault = failureText(result);
      return fault === undefined ? back(c, 'releasedMany') : show(c, { status: 409, fault });
    })
    .post(`${RELEASES_AT}/reset`, async (c) => {
      const { tenant } = await readForm(c, Reset);
      const { credential, user } = c.var.viewer;
      if (tenant.trim() !== user.tenantName) return show(c, OTHER_NAME);
      const cleared = await attempt(deps, c, () => reset(deps, credential));
      return cleared.ok ? back(c, 'reset') : show(c, cleared);
    });
};
