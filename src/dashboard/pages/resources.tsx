/**
 * Registered resources: the tree with what is free and held, search, and registering.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { readRows } from '../../engine/definitions.ts';
import { callApi } from '../callApi.ts';
import { Page } from '../components/layout.tsx';
import { RegisterForm, readRegistration, type Typed } from '../components/registerForm.tsx';
import { childrenOf, ResourceTree } from '../components/resourceTree.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';

const AT = '/dashboard/resources';
/** Found names that are shown. */
const MOST_FOUND = 300;
const number = new Intl.NumberFormat('en');

const Query = z.object({ q: z.string().max(256).catch('').default('') });

export const resourcesRoutes = (deps: DashboardDeps) => {
  const { engine } = deps;

  const show = async (c: Context<DashboardEnv>, fault?: string, typed?: Typed) => {
    const { viewer } = c.var;
    const { q } = Query.parse(c.req.query());
    const rows = await readRows(engine, viewer.credential);
    const wanted = q.toLowerCase();
    const children = childrenOf(rows);
    const found = q === '' ? null : [...rows.values()].filter(({ name }) => name.toLowerCase().includes(wanted));
    return c.html(
      <Page title="Resources" viewer={viewer} at={AT} done={c.req.query('done')} fault={fault} renew={{}}>
        <search>
          <form class="search">
            <label>
              Search by name <input type="search" name="q" value={q} maxlength={256} />
            </label>
            <button type="submit">Search</button>
          </form>
        </search>
        <div data-live="tree">
          <p>
            {number.format(rows.size)} registered{found && `, ${number.format(found.length)} found`}
            {found && found.length > MOST_FOUND && `, the first ${MOST_FOUND} shown`}.
          </p>
          <p class="legend">
            <span class="free">free</span> <span class="held">held</span>
          </p>
          {found === null ? (
            <ResourceTree roots={children.get('') ?? []} children={children} more={`${AT}?q=`} />
          ) : (
            <ResourceTree roots={found.slice(0, MOST_FOUND)} children={new Map()} more={AT} />
          )}
        </div>
        <RegisterForm title="Register a resource" typed={typed} />
      </Page>,
      fault === undefined ? 200 : 400,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      const [typed, registration] = readRegistration(await c.req.parseBody());
      const reply = await callApi(deps, c, 'POST', '/api/v1/Resource/register', [registration]);
      return reply.ok ? c.redirect(`${AT}?done=registered`, 303) : show(c, reply.fault, typed);
    });
};
