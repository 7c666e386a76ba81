/**
 * Tenants, for administrators: search; and one of them: its tier, suspension, reset and audit trail
 * (docs/specification.md#operations).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { TENANT_ID } from '../../domain/names.ts';
import { TIERS } from '../../domain/tiers.ts';
import { type AuditRow, auditTrail } from '../../store/audit.ts';
import { listTenants, readTenant, type Tenant } from '../../store/tenants.ts';
import { callApi, type Failed } from '../callApi.ts';
import { Confirm } from '../components/confirm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { Scroll } from '../components/scroll.tsx';
import { SearchForm } from '../components/searchForm.tsx';
import { Time } from '../components/time.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm, searched } from '../form.ts';
import { SIGN_IN, startPath, TENANTS } from '../viewer.ts';

const AT = TENANTS;
const PAGE = 50;

const Query = z.object({
  q: searched,
  after: z.string().regex(TENANT_ID).optional().catch(undefined),
  before: z.coerce.number().int().optional().catch(undefined),
});
const ACTIONS = { suspend: 'suspended', resume: 'resumed', reset: 'reset' } as const;

const TierForm = z.object({ tier: z.string() });

/** The page to come back to from the provider: what was asked for, or the page that a form was on. */
function pageOf(c: Context<DashboardEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  return ['GET', 'HEAD'].includes(c.req.method) ? pathname + search : pathname.replace(/\/[^/]+$/, '');
}

/** @throws HoldfastError unknown */
function idOf(c: Context<DashboardEnv>): string {
  const id = c.req.param('id') ?? '';
  if (!TENANT_ID.test(id)) throw new HoldfastError('unknown', 'There is no such tenant.');
  return id;
}

export const tenantsRoutes = (deps: DashboardDeps) => {
  const app = new Hono<DashboardEnv>();
  app.use(`${AT}/*`, async (c, next) => {
    const { standing } = c.var.viewer;
    if (standing === 'lapsed') return c.redirect(deps.signIn.kind === 'oidc' ? startPath(pageOf(c)) : SIGN_IN, 303);
    if (standing !== 'admin') throw new HoldfastError('forbidden', 'This takes an administrator.');
    await next();
  });
  if (deps.tenants === null)
    return app.get(AT, (c) =>
      c.html(
        <Page title="Tenants" viewer={c.var.viewer} at={AT}>
          <NeedsDatabase what="Managing tenants and their audit trail" />
          <ul>
            {[...new Set(deps.configuredKeys.map(({ tenant }) => tenant))].map((tenant) => (
              <li>{tenant}</li>
            ))}
          </ul>
        </Page>,
      ),
    );
  const { store } = deps.tenants;

  const showOne = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const id = idOf(c);
    const { before } = Query.parse(c.req.query());
    const [tenant, trail] = await Promise.all([readTenant(store, id), auditTrail(store.database, id, before, PAGE)]);
    return c.html(
      <Page title={tenant.name} viewer={c.var.viewer} at={AT} done={c.req.query('done')} failed={failed}>
        <OneTenant tenant={tenant} />
        <section aria-labelledby="audit-title">
          <h2 id="audit-title">Audit trail, the latest first</h2>
          <AuditTable id={id} trail={trail} />
        </section>
      </Page>,
      failed?.status ?? 200,
    );
  };

  return app
    .get(AT, async (c) => {
      const { q, after } = Query.parse(c.req.query());
      return c.html(
        <Page title="Tenants" viewer={c.var.viewer} at={AT}>
          <SearchForm at={AT} label="Search by id or name" q={q} />
          <TenantTable q={q} tenants={await listTenants(store, q === '' ? undefined : q, after, PAGE)} />
        </Page>,
      );
    })
    .get(`${AT}/:id`, (c) => showOne(c))
    .post(`${AT}/:id/tier`, async (c) => {
      const id = idOf(c);
      const { tier } = await readForm(c, TierForm);
      const reply = await callApi(deps, c, 'PUT', `/api/v1/admin/tenants/${id}/tier`, { tier });
      return reply.ok ? c.redirect(`${AT}/${id}?done=saved`, 303) : showOne(c, reply);
    })
    .post(`${AT}/:id/:action{suspend|resume|reset}`, async (c) => {
      const id = idOf(c);
      const action = z.enum(['suspend', 'resume', 'reset']).parse(c.req.param('action'));
      const reply = await callApi(deps, c, 'POST', `/api/v1/admin/tenants/${id}/${action}`);
      return reply.ok ? c.redirect(`${AT}/${id}?done=${ACTIONS[action]}`, 303) : showOne(c, reply);
    });
};

const TenantTable = ({ q, tenants }: { q: string; tenants: readonly Tenant[] }) => {
  const next = tenants.length < PAGE ? undefined : tenants.at(-1)?.id;
  if (tenants.length === 0) return <p>None found.</p>;
  return (
    <>
      <Scroll label="Tenants">
        <table>
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              <th scope="col">Name</th>
              <th scope="col">Tier</th>
              <th scope="col">State</th>
              <th scope="col">Since (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {tenants.map(({ id, name, tier, suspendedAt, createdAt }) => (
              <tr>
                <th scope="row">
                  <a href={`${AT}/${id}`}>{id}</a>
                </th>
                <td>{name}</td>
                <td>{tier}</td>
                <td>{suspendedAt === null ? 'active' : 'suspended'}</td>
                <td>
                  <Time at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {next !== undefined && (
        <nav class="pages" aria-label="Pages of tenants">
          <a href={`${AT}?${new URLSearchParams({ q, after: next })}`}>More</a>
        </nav>
      )}
    </>
  );
};

const OneTenant = ({ tenant: { id, tier, suspendedAt, createdAt } }: { tenant: Tenant }) => (
  <>
    <p>
      Tenant {id}, since <Time at={createdAt} /> (UTC)
      {suspendedAt !== null && (
        <>
          , <strong>suspended</strong> since <Time at={suspendedAt} />
        </>
      )}
      .
    </p>
    <form method="post" action={`${AT}/${id}/tier`} class="fields">
      <label>
        Tier{' '}
        <select name="tier">
          {TIERS.map((one) => (
            <option value={one} selected={one === tier}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Change the tier</button>
    </form>
    <div class="buttons">
      {suspendedAt === null ? (
        <Confirm
          id="suspend"
          label="Suspend"
          about={id}
          question={`Suspend “${id}”? All its keys are refused, and its event streams end; what it holds stays.`}
          action={`${AT}/${id}/suspend`}
        />
      ) : (
        <Confirm
          id="resume"
          label="Resume"
          about={id}
          question={`End the suspension of “${id}”?`}
          action={`${AT}/${id}/resume`}
        />
      )}{' '}
      <Confirm
        id="reset"
        label="Release everything"
        about={id}
        question={`Release all reservations of “${id}”? Nobody is asked.`}
        action={`${AT}/${id}/reset`}
      />
    </div>
  </>
);

const AuditTable = ({ id, trail }: { id: string; trail: readonly AuditRow[] }) => (
  <>
    <Scroll label="Audit trail">
      <table>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {trail.map(({ at, actor, action, details }) => (
            <tr>
              <td>
                <Time at={at} />
              </td>
              <td>{actor}</td>
              <td>{action}</td>
              <td>
                <code>{JSON.stringify(details)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
    {trail.length === PAGE && (
      <nav class="pages" aria-label="Pages of the audit trail">
        <a href={`${AT}/${id}?before=${trail.at(-1)?.id}`}>Older</a>
      </nav>
    )}
  </>
);
