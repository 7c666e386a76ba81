/**
 * Reservations: who holds what since when and until when, searched, page by page; and releasing one without its token,
 * which a person who has signed in may (docs/specification.md#identity).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { usage } from '../../engine/tenant/usage.ts';
import { callApi, type Failed } from '../callApi.ts';
import { Confirm } from '../components/confirm.tsx';
import { HeldTable } from '../components/heldTable.tsx';
import { Page } from '../components/layout.tsx';
import { SearchForm } from '../components/searchForm.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { pageNumber, readForm, searched } from '../form.ts';
import { type Held, heldNow } from '../held.ts';

const AT = '/dashboard/reservations';
const PAGE = 100;
const number = new Intl.NumberFormat('en');

const Query = z.object({ q: searched, page: pageNumber });
const Release = z.object({ resource: z.string(), requester: z.string() });
const Released = z.tuple([z.object({ status: z.string(), explanation: z.string() })]);

const NOT_RELEASED: ReadonlyMap<string, string> = new Map([
  ['NOT_RESERVED', 'It was not released: it is free already.'],
  ['DOESNT_OWN_RESERVATION', 'It was not released: somebody else holds it by now.'],
]);

const link = (q: string, page: number) =>
  `${AT}?${new URLSearchParams({ ...(q === '' ? {} : { q }), page: String(page) })}`;

export const reservationsRoutes = (deps: DashboardDeps) => {
  const { engine } = deps;

  const show = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const { viewer } = c.var;
    const { q, page } = Query.parse(c.req.query());
    const [held, { reservations }] = await Promise.all([
      heldNow(engine, viewer.credential, { text: q, from: (page - 1) * PAGE, size: PAGE }),
      usage(engine, viewer.credential),
    ]);
    return c.html(
      <Page
        title="Reservations"
        viewer={viewer}
        at={AT}
        done={c.req.query('done')}
        failed={failed}
        renew={{ from: link(q, page) }}
      >
        <SearchForm at={AT} label="Search by resource or requester" q={q} />
        <div data-live="held">
          <Summary held={held} total={reservations} isSearch={q !== ''} />
          <HeldTable
            label="Reservations"
            held={held.page}
            actions={(one) => (
              <Confirm
                id={`release-${one.fencingToken}`}
                label="Release"
                about={`${one.resource} held by ${one.requester}`}
                question={`Take “${one.resource}” away from “${one.requester}”? It is not asked.`}
                action={`${AT}/release?${new URLSearchParams({ q })}`}
                fields={{ resource: one.resource, requester: one.requester }}
              />
            )}
          />
          <Pages q={q} page={page} of={Math.max(1, Math.ceil(held.matches / PAGE))} />
        </div>
        <section aria-labelledby="reset-title">
          <h2 id="reset-title">Start over</h2>
          <Confirm
            id="reset"
            label="Release everything"
            question="Release all reservations of this tenant? Nobody is asked; what is registered stays."
            action={`${AT}/reset`}
          />
        </section>
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(`${AT}/release`, async (c) => {
      const item = await readForm(c, Release);
      const reply = await callApi(deps, c, 'POST', '/api/v1/Reservation/unreserve', [item]);
      if (!reply.ok) return show(c, reply);
      const [{ status, explanation }] = Released.parse(reply.body);
      if (status !== 'RELINQUISHED')
        return show(c, { ok: false, status: 409, fault: NOT_RELEASED.get(status) ?? explanation });
      return c.redirect(`${AT}?${new URLSearchParams({ q: Query.parse(c.req.query()).q, done: 'released' })}`, 303);
    })
    .post(`${AT}/reset`, async (c) => {
      const reply = await callApi(deps, c, 'POST', '/api/v1/Reservation/reset');
      return reply.ok ? c.redirect(`${AT}?done=reset`, 303) : show(c, reply);
    });
};

const Summary = ({ held, total, isSearch }: { held: Held; total: number; isSearch: boolean }) => (
  <p>
    {number.format(total)} held{isSearch && `, ${number.format(held.matches)} found`}
    {held.isPartial && ` among the ${number.format(held.lookedAt)} that were looked at`}, the newest first.
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
