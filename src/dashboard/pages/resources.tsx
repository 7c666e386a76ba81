/**
 * The page of registered resources: the tree with free and held slots, search, and registering.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type Question, registerTyped } from '../actions/register.ts';
import { Page } from '../components/layout.tsx';
import { asRegistration, RegisterForm, RegistrationForm, type Typed } from '../components/registerForm.tsx';
import { childrenOf, ResourceTree } from '../components/resourceTree.tsx';
import { SearchForm } from '../components/searchForm.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm, readQuery, searched } from '../form.ts';
import { registerSchema } from '../formSchemas.ts';
import { backTo } from '../paths.ts';
import { labelTexts, MAX_ROWS, type Row, readRows } from '../resource/registeredResources.ts';
import { may, needs } from '../viewer.ts';
import { number } from '../words/numbers.ts';

const AT = '/dashboard/resources';
/** Search results are shown without their children. */
const NO_CHILDREN = new Map<string, never[]>();
const Query = z.object({ q: searched, page: pageNumber });

const link = (q: string, page: number) =>
  `${AT}?${new URLSearchParams({ ...(q === '' ? {} : { q }), page: String(page) })}`;

/** Whether a resource's name, or one of its labels, contains a text in lower case. */
const isFound = ({ name, labels }: Row, wanted: string) =>
  [name, ...labelTexts(labels)].some((text) => text.toLowerCase().includes(wanted));

export const resourcesRoutes = (deps: DashboardDeps) => {
  const { engine } = deps;
  const Registrations = registerSchema(deps);

  const show = async (c: Context<DashboardEnv>, failed?: Failed | Question, typed?: Typed) => {
    const { viewer } = c.var;
    const { q, page } = readQuery(c, Query);
    const rows = await readRows(engine, viewer.credential);
    const wanted = q.toLowerCase();
    const children = childrenOf(rows);
    const found = q === '' ? null : [...rows.values()].filter((row) => isFound(row, wanted));
    return c.html(
      <Page
        title="Resources"
        viewer={viewer}
        at={AT}
        done={c.req.query('done')}
        failed={failed}
        renew={{ from: link(q, page) }}
      >
        <SearchForm at={AT} label="Search by name or label" q={q} />
        <div data-live="tree">
          <p>
            {rows.size >= MAX_ROWS ? 'The first ' : ''}
            {number(rows.size)} registered{found && `, ${number(found.length)} found`}.
          </p>
          <p class="legend">
            <span class="free">free</span> <span class="held">held</span>{' '}
            <span class="shut">free, below a full resource</span>
          </p>
          <ResourceTree
            roots={found ?? children.get('') ?? []}
            children={found === null ? children : NO_CHILDREN}
            page={page}
            link={(to) => link(q, to)}
          />
        </div>
        {may(viewer, 'define') && (
          <RegisterForm
            title={typed?.change === undefined ? 'Register a resource' : 'Change it'}
            typed={typed}
            isNamed={typed?.change !== undefined}
            question={failed && 'missing' in failed ? failed : undefined}
          />
        )}
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, needs('define'), async (c) => {
      const typed = await readForm(c, RegistrationForm);
      const tried = await attempt(deps, c, async () => {
        const [item] = check(Registrations, [asRegistration(typed)]);
        return item && registerTyped(deps, c.var.viewer, typed, item);
      });
      if (!tried.ok) return show(c, tried, typed);
      return tried.result
        ? show(c, tried.result, typed)
        : c.redirect(backTo(AT, { done: 'registered', what: typed.name.trim() }), 303);
    });
};
