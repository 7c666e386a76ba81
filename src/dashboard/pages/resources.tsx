/**
 * The page of registered resources: the tree with free and held slots, search, and registering.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Definition } from '../../contract/definitions.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { definition } from '../../engine/definitions/list.ts';
import { type Question, registerTyped } from '../actions/register.ts';
import { FormPage } from '../components/formPage.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/layout.tsx';
import { RemoveDemo } from '../components/newTenant.tsx';
import {
  asRegistration,
  asTyped,
  newTyped,
  RegisterForm,
  RegistrationForm,
  type Typed,
} from '../components/registerForm.tsx';
import { childrenOf, ResourceTree, registerPath } from '../components/resourceTree.tsx';
import { SearchForm } from '../components/searchForm.tsx';
import { isDemo } from '../demo/demo.ts';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm, readQuery, searched } from '../form.ts';
import { registerSchema } from '../formSchemas.ts';
import { backTo, ownPath } from '../paths.ts';
import { labelTexts, MAX_ROWS, type Row, readLists, readRows } from '../resource/registeredResources.ts';
import { may, needs } from '../viewer.ts';
import { number } from '../words/numbers.ts';

const AT = '/dashboard/resources';
const REGISTER = `${AT}/register`;
/** Search results are shown without their children. */
const NO_CHILDREN = new Map<string, never[]>();
const Query = z.object({ q: searched, page: pageNumber });
const FormQuery = z.object({
  name: z.string().optional(),
  /** The resource that a new one is like, or the group that it is in. */
  like: z.string().optional(),
  back: z.string().optional(),
});

const link = (q: string, page: number) =>
  `${AT}?${new URLSearchParams({ ...(q === '' ? {} : { q }), page: String(page) })}`;

/** True if a resource's name, or one of its labels, contains a text in lower case. */
const isFound = ({ name, labels }: Row, wanted: string) =>
  [name, ...labelTexts(labels)].some((text) => text.toLowerCase().includes(wanted));

export const resourcesRoutes = (deps: DashboardDeps) => {
  const { engine } = deps;
  const Registrations = registerSchema(deps);

  const show = async (c: Context<DashboardEnv>) => {
    const { viewer } = c.var;
    const { q, page } = readQuery(c, Query);
    const rows = await readRows(engine, viewer.credential);
    const wanted = q.toLowerCase();
    const children = childrenOf(rows);
    const found = q === '' ? null : [...rows.values()].filter((row) => isFound(row, wanted));
    const mayDefine = may(viewer, 'define');
    return c.html(
      <Page
        title="Resources"
        viewer={viewer}
        at={AT}
        done={c.req.query('done')}
        renew={{ from: link(q, page) }}
        head={{
          counts: (
            <span>
              {rows.size >= MAX_ROWS ? 'The first ' : ''}
              {number(rows.size)} registered{found && `, ${number(found.length)} found`}
            </span>
          ),
          ...(mayDefine && { actions: <HeadActions back={link(q, page)} hasDemo={hasDemo(rows)} /> }),
        }}
      >
        <SearchForm at={AT} label="Search by name or label" q={q} />
        <div data-live="tree">
          {rows.size === 0 && <p class="notice">Nothing is registered yet.</p>}
          <ResourceTree
            roots={found ?? children.get('') ?? []}
            children={found === null ? children : NO_CHILDREN}
            page={page}
            link={(to) => link(q, to)}
            mayDefine={mayDefine}
          />
        </div>
      </Page>,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .get(REGISTER, needs('define'), async (c) => {
      const { name, like, back } = readQuery(c, FormQuery);
      const { credential } = c.var.viewer;
      const known = name === undefined ? null : await definition(engine, credential, name);
      const model = like === undefined ? null : await definition(engine, credential, like);
      const typed = known ? asTyped(known) : model ? await likeTyped(deps, c.var.viewer, model) : newTyped(name ?? '');
      return showForm(deps, c, { ...typed, back });
    })
    .post(AT, needs('define'), async (c) => {
      const typed = await readForm(c, RegistrationForm, true);
      const tried = await attempt(deps, c, async () => {
        const [item] = check(Registrations, [asRegistration(typed)]);
        return item && { ...(await registerTyped(deps, c.var.viewer, typed, item)), slots: item.capacity ?? 1 };
      });
      if (!tried.ok) return showForm(deps, c, typed, tried);
      if (tried.result === undefined || 'missing' in tried.result) return showForm(deps, c, typed, tried.result);
      const { before, slots } = tried.result;
      const done = typed.change === undefined ? 'registered' : 'changed';
      const said =
        before === null || before === slots ? { done } : { done: 'resized', count: `${slots}`, was: `${before}` };
      return c.redirect(backTo(typed.back ?? AT, { ...said, what: typed.name.trim() }), 303);
    });
};

/** The form of a new resource like another one; of a group: in it, and bookable and cleaned as the first one there. */
async function likeTyped({ engine }: DashboardDeps, { credential }: Viewer, model: Definition): Promise<Typed> {
  const { name, capacity, treePath } = model;
  if (capacity !== null) return { ...newTyped(''), ...asTyped(model), name: '', attributes: '', change: undefined };
  const path = [...(treePath === null ? [] : [treePath]), name].join(PATH_DELIMITER);
  const rows = await readRows(engine, credential);
  const first = [...rows.values()].find((row) => row.parent === name && row.capacity !== null);
  const sister = first && (await definition(engine, credential, first.name));
  const { dirty, bookable } = sister ? asTyped(sister) : newTyped('');
  return { ...newTyped(''), treePath: path, dirty, bookable };
}

/** Shows the form that registers a resource, or changes one. */
async function showForm({ engine }: DashboardDeps, c: Context<DashboardEnv>, typed: Typed, failed?: Failed | Question) {
  const { viewer } = c.var;
  const isChange = typed.change !== undefined;
  const title = isChange ? `Change ${typed.name}` : 'Register a resource';
  return c.html(
    <FormPage title={title} viewer={viewer} at={AT} failed={failed}>
      {isChange && typed.group === undefined && (
        <p class="hint">
          Or <a href={registerPath({ like: typed.name, back: ownPath(typed.back) })}>register one more like it</a>.
        </p>
      )}
      <RegisterForm
        typed={typed}
        isNamed={isChange}
        question={failed && 'missing' in failed ? failed : undefined}
        // The form does without its lists rather than fail.
        lists={await readLists(engine, viewer.credential).catch(() => undefined)}
        failed={failed}
        back={typed.back === undefined ? AT : ownPath(typed.back)}
      />
    </FormPage>,
    failed?.status ?? 200,
  );
}

const hasDemo = (rows: ReadonlyMap<string, Row>) => [...rows.values()].some(({ labels }) => isDemo(labels));

const HeadActions = ({ back, hasDemo: isShown }: { back: string; hasDemo: boolean }) => (
  <>
    {isShown && <RemoveDemo back={back} />}
    <a class="button primary" id="register" href={registerPath({ back })} data-shortcut="n">
      <Icon name="plus" /> Register
    </a>
  </>
);
