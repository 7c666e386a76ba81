/**
 * Pages of tenants, for administrators: search; and one tenant with its tier, suspension, reset and audit trail
 * (docs/specification.md#tenants-and-administration).
 */
import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { TENANT_ID } from '../../domain/names.ts';
import { TIERS } from '../../domain/tiers.ts';
import { actorNameOf } from '../../engine/tenant/signIns.ts';
import { isChange } from '../../http/browsers.ts';
import type { TenantDeps } from '../../http/deps.ts';
import type { Actor } from '../../operations/permissions.ts';
import { changeTier, createTenant, resetTenant, resume, suspend } from '../../operations/tenants.ts';
import { type AuditRow, auditPage } from '../../store/audit.ts';
import { listTenants } from '../../store/tenantList.ts';
import { readTenant, type Tenant } from '../../store/tenants.ts';
import { AuditTable } from '../components/auditTable.tsx';
import { Confirm } from '../components/confirm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { SearchForm } from '../components/searchForm.tsx';
import { CreateTenant, type Listing, TenantTable, type TypedTenant } from '../components/tenantTable.tsx';
import { When } from '../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, readForm, readQuery, searched } from '../form.ts';
import { TenantsQuery, TenantToCreate, TierChange } from '../formSchemas.ts';
import { SIGN_IN, startPath, TENANTS } from '../viewer.ts';
import { whoDid } from '../words/auditSentences.ts';
import { ALL, allAuditRoute } from './audit.tsx';

const AT = TENANTS;
const PAGE = 50;

const Query = z.object({
  q: searched,
  after: TenantsQuery.shape.after.catch(undefined),
  sort: TenantsQuery.shape.sort.catch('id'),
  order: TenantsQuery.shape.order.catch(undefined),
  before: z.coerce.number().int().optional().catch(undefined),
});
const DONE = { suspend: 'suspended', resume: 'resumed', reset: 'reset' } as const;

const TierForm = z.object({ tier: z.string() });
/** An address that is not typed is sent empty. */
const TenantForm = z.object({ id: z.string(), name: z.string(), tier: z.string(), owner: z.string() });

/** The page to return to from the provider: the requested page, or the page of the form that was sent. */
function pageOf(c: Context<DashboardEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  if (!isChange(c.req.method)) return pathname + search;
  return pathname === AT ? AT : pathname.replace(/\/[^/]+$/, '');
}

/** @throws HoldfastError unknown */
function idOf(c: Context<DashboardEnv>): string {
  const id = c.req.param('id') ?? '';
  if (!TENANT_ID.test(id)) throw new HoldfastError('unknown', 'There is no such tenant.');
  return id;
}

export const tenantsRoutes = (deps: DashboardDeps) => {
  const { tenants, configuredKeys } = deps;
  const app = new Hono<DashboardEnv>();
  app.use(`${AT}/*`, administratorsOnly(deps));
  if (tenants !== null)
    return app.route('/', allAuditRoute(deps, tenants.store)).route('/', databaseRoutes(deps, tenants));
  const configured = [...new Set(configuredKeys.map(({ tenant }) => tenant))];
  return app.get(AT, (c) => c.html(<ConfiguredTenants viewer={c.var.viewer} tenants={configured} />));
};

/** @throws HoldfastError forbidden */
const administratorsOnly = ({ signIn }: Pick<DashboardDeps, 'signIn'>) =>
  createMiddleware<DashboardEnv>(async (c, next) => {
    const { standing } = c.var.viewer;
    if (standing === 'lapsed') return c.redirect(signIn.kind === 'oidc' ? startPath(pageOf(c)) : SIGN_IN, 303);
    if (standing !== 'admin') throw new HoldfastError('forbidden', 'This takes an administrator.');
    await next();
  });

const asAdmin = (viewer: Viewer): Actor => ({ ...viewer, actor: actorNameOf('admin', viewer.user) });

const databaseRoutes = (deps: DashboardDeps, tenants: TenantDeps) => {
  const { store } = tenants;
  const showOne = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const id = idOf(c);
    const { before } = readQuery(c, Query);
    const [tenant, trail] = await Promise.all([
      readTenant(store, id),
      auditPage(store.database, { tenant: id }, before, PAGE),
    ]);
    const props = { viewer: c.var.viewer, tenant, trail, done: c.req.query('done'), failed };
    return c.html(<TenantPage {...props} />, failed?.status ?? 200);
  };

  const showAll = async (c: Context<DashboardEnv>, failed?: Failed, typed?: TypedTenant) => {
    const { q, sort, order, after } = readQuery(c, Query);
    const search = q === '' ? undefined : q;
    const page = await listTenants(store, { search, sort, order, after, limit: PAGE });
    const listing: Listing = { q, sort, order };
    return c.html(
      <Page title="Tenants" viewer={c.var.viewer} at={AT} failed={failed}>
        <SearchForm at={AT} label="Search by id or name" q={q} />
        <TenantTable {...page} listing={listing} />
        <CreateTenant typed={typed} />
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => showAll(c))
    .post(AT, async (c) => {
      const typed = await readForm(c, TenantForm);
      const created = await attempt(deps, c, async () => {
        const { owner, ...tenant } = check(TenantToCreate, {
          ...typed,
          owner: typed.owner === '' ? undefined : typed.owner,
        });
        return createTenant(tenants, asAdmin(c.var.viewer), { ...tenant, owner });
      });
      return created.ok
        ? c.redirect(`${AT}/${created.result.tenant.id}?done=tenantCreated`, 303)
        : showAll(c, created, typed);
    })
    .get(`${AT}/:id`, (c) => showOne(c))
    .post(`${AT}/:id/tier`, async (c) => {
      const id = idOf(c);
      const form = await readForm(c, TierForm);
      const changed = await attempt(deps, c, async () =>
        changeTier(store, asAdmin(c.var.viewer), id, check(TierChange, form).tier),
      );
      return changed.ok ? c.redirect(`${AT}/${id}?done=saved`, 303) : showOne(c, changed);
    })
    .post(`${AT}/:id/:action{suspend|resume|reset}`, async (c) => {
      const id = idOf(c);
      const action = z.enum(['suspend', 'resume', 'reset']).parse(c.req.param('action'));
      const carryOut = {
        suspend: () => suspend(store, asAdmin(c.var.viewer), id),
        resume: () => resume(store, asAdmin(c.var.viewer), id),
        reset: () => resetTenant(deps, store, asAdmin(c.var.viewer), id),
      };
      const changed = await attempt<unknown>(deps, c, carryOut[action]);
      return changed.ok ? c.redirect(`${AT}/${id}?done=${DONE[action]}`, 303) : showOne(c, changed);
    });
};

/** The page of the in-memory mode. */
const ConfiguredTenants = ({ viewer, tenants }: { viewer: Viewer; tenants: readonly string[] }) => (
  <Page title="Tenants" viewer={viewer} at={AT}>
    <NeedsDatabase what="To manage tenants and see their audit trail" />
    <ul>
      {tenants.map((tenant) => (
        <li>{tenant}</li>
      ))}
    </ul>
  </Page>
);

interface TenantPageProps {
  readonly viewer: Viewer;
  readonly tenant: Tenant;
  readonly trail: readonly AuditRow[];
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
}

const TenantPage = ({ viewer, tenant, trail, done, failed }: TenantPageProps) => (
  <Page title={tenant.name} viewer={viewer} at={AT} done={done} failed={failed}>
    <OneTenant tenant={tenant} />
    <section aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      <SettingsPart tenant={tenant} />
    </section>
    <section aria-labelledby="audit-title">
      <h2 id="audit-title">Audit trail, the latest first</h2>
      <AuditTable nameOf={whoDid} none="No entries." entries={trail} />
      <nav class="pages" aria-label="Pages of the audit trail">
        {trail.length === PAGE && <a href={`${AT}/${tenant.id}?before=${trail.at(-1)?.id}`}>Older</a>}{' '}
        <a href={`${ALL}?tenant=${tenant.id}`}>Search it</a>
      </nav>
    </section>
  </Page>
);

const SettingsPart = ({ tenant }: { tenant: Tenant }) => (
  <dl class="facts">
    <dt>Only registered resources</dt>
    <dd>{tenant.requireRegistration ? 'yes' : 'no'}</dd>
    <dt>Highest priority</dt>
    <dd>{tenant.maxPriority}</dd>
    <dt>Lease of reservations that ask for none</dt>
    <dd>{tenant.defaultTtlSeconds === null ? 'none' : `${tenant.defaultTtlSeconds} s`}</dd>
    <dt>Longest lease</dt>
    <dd>{tenant.maxTtlSeconds === null ? 'any' : `${tenant.maxTtlSeconds} s`}</dd>
    <dt>Reservations must have a note</dt>
    <dd>{tenant.requireNote ? 'yes' : 'no'}</dd>
  </dl>
);

const OneTenant = ({ tenant: { id, tier, suspendedAt, createdAt } }: { tenant: Tenant }) => (
  <>
    <p>
      Tenant {id}, created <When at={createdAt} as="ago" />
      {suspendedAt !== null && (
        <>
          , <strong>suspended</strong> <When at={suspendedAt} as="ago" />
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
          question={`Suspend “${id}”? All its keys stop working and its event streams end. Its reservations stay.`}
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
        question={`Release all reservations of “${id}”? Their holders learn it when they renew or release.`}
        action={`${AT}/${id}/reset`}
      />
    </div>
  </>
);
