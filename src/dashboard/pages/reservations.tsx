/**
 * The page of reservations: who holds which resource since when and until when, and who waits, with search. A person
 * who has signed in may release a reservation without its token (docs/specification.md#release), and end
 * a wait.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { ActiveReservation } from '../../contract/reservations.ts';
import { usage } from '../../engine/tenant/usage.ts';
import { reset } from '../../operations/reset.ts';
import { unreserve } from '../../operations/unreserve.ts';
import { cancelForm } from '../cancelWait.ts';
import { Confirm } from '../components/confirm.tsx';
import { HeldTable } from '../components/heldTable.tsx';
import { Page } from '../components/layout.tsx';
import { SearchForm } from '../components/searchForm.tsx';
import { WaitingPart } from '../components/waitingPart.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm, searched } from '../form.ts';
import { releaseSchema } from '../formSchemas.ts';
import { mayEnd } from '../person.ts';
import { type Found, searchReservations } from '../searchReservations.ts';
import { byText, searchWaiting, type Waiters } from '../searchWaiting.ts';
import { may } from '../viewer.ts';

const AT = '/dashboard/reservations';
const PAGE = 100;
const number = new Intl.NumberFormat('en');

const Query = z.object({ q: searched, page: pageNumber });
const Release = z.object({ resource: z.string(), requester: z.string() });

const NOT_RELEASED: ReadonlyMap<string, string> = new Map([
  ['NOT_RESERVED', 'It was not released: it is free already.'],
  ['DOESNT_OWN_RESERVATION', 'It was not released: somebody else holds it by now.'],
  ['INVALID_RELEASE_TOKEN', 'It was not released: you may release only what your own e-mail address holds.'],
]);

const doneLink = (q: string, done: string) => `${AT}?${new URLSearchParams({ q, done })}`;
const link = (q: string, page: number) =>
  `${AT}?${new URLSearchParams({ ...(q === '' ? {} : { q }), page: String(page) })}`;

export const reservationsRoutes = (deps: DashboardDeps) => {
  const { engine } = deps;
  const Releases = releaseSchema(deps);
  const cancelWait = cancelForm(deps);

  const show = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const { viewer } = c.var;
    const { q, page } = Query.parse(c.req.query());
    const [found, waiters, { reservations }] = await Promise.all([
      searchReservations(engine, viewer.credential, { text: q, from: (page - 1) * PAGE, size: PAGE }),
      searchWaiting(engine, viewer.credential, byText(q)),
      usage(engine, viewer.credential),
    ]);
    const props = { viewer, q, page, found, waiters, total: reservations, done: c.req.query('done'), failed };
    return c.html(<ReservationsPage {...props} />, failed?.status ?? 200);
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(`${AT}/release`, async (c) => {
      const item = await readForm(c, Release);
      const released = await attempt(deps, c, async () =>
        unreserve(deps, c.var.viewer.credential, check(Releases, [item])),
      );
      if (!released.ok) return show(c, released);
      for (const { status, explanation } of released.result.result)
        if (status !== 'RELINQUISHED')
          return show(c, {
            status: 409,
            fault: NOT_RELEASED.get(explanation) ?? NOT_RELEASED.get(status) ?? explanation,
          });
      return c.redirect(doneLink(Query.parse(c.req.query()).q, 'released'), 303);
    })
    .post(`${AT}/cancel`, async (c) => {
      const failed = await cancelWait(c);
      return failed ? show(c, failed) : c.redirect(doneLink(Query.parse(c.req.query()).q, 'cancelled'), 303);
    })
    .post(`${AT}/reset`, async (c) => {
      const cleared = await attempt(deps, c, () => reset(deps, c.var.viewer.credential));
      return cleared.ok ? c.redirect(`${AT}?done=reset`, 303) : show(c, cleared);
    });
};

interface ReservationsPageProps {
  readonly viewer: Viewer;
  readonly q: string;
  readonly page: number;
  readonly found: Found;
  readonly waiters: Waiters;
  /** All reservations of the tenant. */
  readonly total: number;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
}

const ReservationsPage = ({ viewer, q, page, found, waiters, total, done, failed }: ReservationsPageProps) => (
  <Page title="Reservations" viewer={viewer} at={AT} done={done} failed={failed} renew={{ from: link(q, page) }}>
    <SearchForm at={AT} label="Search by resource or requester" q={q} />
    <div data-live="held">
      <Summary found={found} total={total} isSearch={q !== ''} />
      <HeldTable
        label="Reservations"
        held={found.page}
        actions={(one) => mayEnd(viewer.user, one.requester) && <ReleaseButton one={one} q={q} />}
      />
      <Pages q={q} page={page} of={Math.max(1, Math.ceil(found.matches / PAGE))} />
    </div>
    <WaitingPart waiters={waiters} action={`${AT}/cancel?${new URLSearchParams({ q })}`} user={viewer.user} />
    {may(viewer, 'reset') && (
      <section aria-labelledby="reset-title">
        <h2 id="reset-title">Start over</h2>
        <Confirm
          id="reset"
          label="Release everything"
          question="Release all reservations of this tenant, and end all waits? Their holders learn it when they renew or release. Registered resources stay."
          action={`${AT}/reset`}
        />
      </section>
    )}
  </Page>
);

const ReleaseButton = ({ one, q }: { one: ActiveReservation; q: string }) => (
  <Confirm
    id={`release-${one.fencingToken}`}
    label="Release"
    about={`${one.resource} held by ${one.requester}`}
    question={`Force-release “${one.resource}” held by “${one.requester}”? The holder learns it when it renews or releases.`}
    action={`${AT}/release?${new URLSearchParams({ q })}`}
    fields={{ resource: one.resource, requester: one.requester }}
  />
);

const Summary = ({ found, total, isSearch }: { found: Found; total: number; isSearch: boolean }) => (
  <p>
    {number.format(total)} held{isSearch && `, ${number.format(found.matches)} found`}
    {found.isPartial && ` among the first ${number.format(found.lookedAt)}`}, the newest first.
  </p>
);

const Pages = ({ q, page, of }: { q: string; page: number; of: number }) => {
  if (of === 1 && page === 1) return null;
  return (
    <nav class="pages" aria-label="Pages of reservations">
      {page > 1 && <a href={link(q, page - 1)}>Newer</a>} Page {page} of {of}{' '}
      {page < of && <a href={link(q, page + 1)}>Older</a>}
    </nav>
  );
};
