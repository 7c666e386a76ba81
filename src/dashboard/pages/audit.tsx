/**
 * The pages of the audit trail (docs/specification.md#audit-trail): of one's own tenant, and of all tenants for
 * administrators.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { TENANT_ID } from '../../domain/names.ts';
import type { AuditPage } from '../../operations/audit.ts';
import type { AuditFilter } from '../../store/audit.ts';
import type { Store } from '../../store/records.ts';
import { AuditTable } from '../components/auditTable.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { FilterField } from '../components/searchForm.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readQuery, searched } from '../form.ts';
import { CHANGES } from '../paths.ts';
import { namesOf } from '../people.ts';
import { searchTrail } from '../search/searchTrail.ts';
import { TENANTS } from '../viewer.ts';
import { ACTIONS } from '../words/auditSentences.ts';

export const ALL = `${TENANTS}/audit`;
const PAGE = 50;
const DAY_MS = 86_400_000;

/** The database knows no time before or after these years. */
const day = z.iso
  .date()
  .refine((text) => text >= '1970' && text < '9999')
  .optional()
  .catch(undefined);
const Query = z.object({
  who: searched,
  action: z.enum(['', ...ACTIONS.map(([action]) => action)]).catch(''),
  from: day,
  to: day,
  tenant: z.string().regex(TENANT_ID).optional().catch(undefined),
  before: z.coerce.number().int().min(1).optional().catch(undefined),
});
type Query = z.infer<typeof Query>;

/** The filter that an index serves. The actor is searched for by a part. */
function filterOf({ action, from, to, tenant }: Query): AuditFilter {
  return {
    tenant,
    action: action === '' ? undefined : action,
    from: from === undefined ? undefined : new Date(from),
    // The whole day.
    to: to === undefined ? undefined : new Date(Date.parse(to) + DAY_MS),
  };
}

export const auditRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const app = new Hono<DashboardEnv>();
  if (tenants === null)
    return app.get(CHANGES, (c) =>
      c.html(
        <Page title="Changes" viewer={c.var.viewer} at={CHANGES}>
          <NeedsDatabase what="To keep an audit trail" />
        </Page>,
      ),
    );
  return app.get(CHANGES, (c) => {
    const { credential } = c.var.viewer;
    return show(c, deps, tenants.store, { ...readQuery(c, Query), tenant: credential.tenant }, CHANGES);
  });
};

/** For administrators: the caller checks that the viewer is one. */
export const allAuditRoute = (deps: Deps, store: Store) =>
  new Hono<DashboardEnv>().get(ALL, (c) => show(c, deps, store, readQuery(c, Query), ALL));

type Deps = Pick<DashboardDeps, 'memberships'>;

async function show(c: Context<DashboardEnv>, deps: Deps, store: Store, query: Query, at: string) {
  const page = await searchTrail(store, filterOf(query), query.who, query.before, PAGE);
  const nameOf = await namesOf(
    deps,
    c.var.viewer,
    page.entries.map(({ actor }) => actor),
  );
  const none =
    page.next === null ? 'Nothing was found.' : 'Nothing was found among the latest entries. Older ones may match.';
  return c.html(
    <Page title="Changes" viewer={c.var.viewer} at={at === ALL ? TENANTS : CHANGES}>
      <Filters query={query} at={at} />
      <div class="card">
        <AuditTable entries={page.entries} nameOf={nameOf} isOfAll={at === ALL} none={none} />
        <Pages page={page} query={query} at={at} />
      </div>
    </Page>,
  );
}

const Filters = ({ query: { who, action, from, to, tenant }, at }: { query: Query; at: string }) => (
  <search>
    <form class="filters" action={at}>
      {at === ALL && <FilterField name="tenant" label="Tenant" value={tenant} />}
      <FilterField name="who" label="Who" value={who} isFirst />
      <select name="action" aria-label="What">
        <option value="">any change</option>
        {ACTIONS.map(([one, sentence]) => (
          <option value={one} selected={one === action}>
            {sentence}
          </option>
        ))}
      </select>
      <button type="submit" id="show-changes">
        Show
      </button>
      <details id="times" open={(from ?? to) !== undefined}>
        <summary>Days</summary>
        <fieldset>
          <legend class="out-of-sight">Days</legend>
          <label>
            From <input type="date" name="from" value={from ?? ''} />
          </label>
          <label>
            To <input type="date" name="to" value={to ?? ''} />
          </label>
        </fieldset>
      </details>
    </form>
  </search>
);

/** Links to older entries, to the latest ones, and to all as CSV. */
const Pages = ({ page, query, at }: { page: AuditPage; query: Query; at: string }) => {
  const { action, from, to } = filterOf(query);
  const [, actor] = /^"(.*)"$/s.exec(query.who) ?? [];
  const tenant = at === ALL ? query.tenant : undefined;
  const link = (path: string, fields: Readonly<Record<string, string | undefined>>) => {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== '') given.set(name, value);
    return `${path}?${given}`;
  };
  const search = { who: query.who, action: query.action, from: query.from, to: query.to, tenant };
  const csv = { format: 'csv', actor, action, from: from?.toISOString(), to: to?.toISOString(), tenant };
  return (
    <nav class="pages pad" aria-label="Pages of the audit trail">
      {query.before !== undefined && <a href={link(at, search)}>Latest</a>}{' '}
      {page.next !== null && <a href={link(at, { ...search, before: String(page.next) })}>Older</a>}{' '}
      <a href={link(at === ALL ? '/api/v1/admin/audit' : '/api/v1/Tenant/audit', csv)}>All of it as CSV</a>
    </nav>
  );
};
