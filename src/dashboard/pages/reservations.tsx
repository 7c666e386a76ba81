/**
 * The page of reservations: who holds which resource since when and until when, and who waits, with search, filters and
 * an order. A person who has signed in may release what they hold without its token, and operators may take away what
 * others hold (docs/specification.md#release); also many at once.
 */
import { type Context, Hono } from 'hono';
import { definitions } from '../../engine/definitions/list.ts';
import { usage } from '../../engine/tenant/usage.ts';
import { reset, unreserve } from '../../operations/reservations.ts';
import { cancelForm } from '../actions/cancelWait.ts';
import { failureText, readSelected } from '../actions/releaseMany.ts';
import { ReleaseManyPage } from '../components/releaseManyPage.tsx';
import { ReservationsPage } from '../components/reservationsPage.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { attempt, check, type Failed, readQuery } from '../form.ts';
import { releaseSchema } from '../formSchemas.ts';
import { AT, addressOf, comparing, Query, wantedBy } from '../search/reservationsQuery.ts';
import { searchReservations } from '../search/searchReservations.ts';
import { byText, searchWaiting } from '../search/searchWaiting.ts';
import { needs } from '../viewer.ts';

/** Rows of a page, of both lists. */
const PAGE = 30;
/** Maximum number of resources with a label that a filter knows. */
const MAX_LABELLED = 20_000;

const NOTHING_SELECTED: Failed = { status: 400, fault: 'Select the reservations to release first.' };

export const reservationsRoutes = (deps: DashboardDeps) => {
  const Releases = releaseSchema(deps);
  const cancelWait = cancelForm(deps);
  const queryOf = (c: Context<DashboardEnv>) => readQuery(c, Query);
  const backTo = (c: Context<DashboardEnv>, done: string) => {
    const address = addressOf(queryOf(c), { select: '' });
    return `${address}${address.includes('?') ? '&' : '?'}done=${done}`;
  };
  const show = (c: Context<DashboardEnv>, failed?: Failed) => showPage(deps, c, queryOf(c), failed);

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .use(`${AT}/selected`, needs('reserve'))
    .use(`${AT}/release`, needs('reserve'))
    .post(`${AT}/selected`, async (c) => {
      const selected = await readSelected(c);
      if (selected.length === 0) return show(c, NOTHING_SELECTED);
      return c.html(<ReleaseManyPage viewer={c.var.viewer} selected={selected} query={queryOf(c)} />);
    })
    .post(`${AT}/release`, async (c) => {
      const selected = await readSelected(c);
      if (selected.length === 0) return show(c, NOTHING_SELECTED);
      const released = await attempt(deps, c, async () =>
        unreserve(deps, c.var.viewer.credential, check(Releases, selected)),
      );
      if (!released.ok) return show(c, released);
      const fault = failureText(released.result.result);
      return fault === undefined ? c.redirect(backTo(c, 'releasedMany'), 303) : show(c, { status: 409, fault });
    })
    .post(`${AT}/cancel`, async (c) => {
      const failed = await cancelWait(c);
      return failed ? show(c, failed) : c.redirect(backTo(c, 'cancelled'), 303);
    })
    .post(`${AT}/reset`, async (c) => {
      const cleared = await attempt(deps, c, () => reset(deps, c.var.viewer.credential));
      return cleared.ok ? c.redirect(`${AT}?done=reset`, 303) : show(c, cleared);
    });
};

async function showPage(deps: DashboardDeps, c: Context<DashboardEnv>, query: Query, failed?: Failed) {
  const { engine } = deps;
  const { viewer } = c.var;
  const { credential } = viewer;
  const labelled = await namesWith(deps, c, query.label);
  const [found, waiters, { result: used }] = await Promise.all([
    searchReservations(engine, credential, {
      isWanted: wantedBy(query, labelled, Date.now()),
      compare: comparing(query),
      from: (query.page - 1) * PAGE,
      size: PAGE,
    }),
    searchWaiting(engine, credential, byText(query.q), { from: (query.waiting - 1) * PAGE, size: PAGE }),
    usage(engine, credential),
  ]);
  const pages = {
    held: Math.max(1, Math.ceil(found.matches / PAGE)),
    waiting: Math.max(1, Math.ceil(waiters.matches / PAGE)),
  };
  const done = c.req.query('done');
  return c.html(
    <ReservationsPage {...{ viewer, query, found, waiters, total: used.reservations, pages, done, failed }} />,
    failed?.status ?? 200,
  );
}

/** The names of the resources that have a label; null: any resource is looked for */
async function namesWith({ engine }: DashboardDeps, c: Context<DashboardEnv>, label: string) {
  if (label === '') return null;
  const names = new Set<string>();
  for await (const page of definitions(engine, c.var.viewer.credential, label)) {
    for (const { name } of page.rows) names.add(name);
    if (names.size >= MAX_LABELLED) break;
  }
  return names;
}
