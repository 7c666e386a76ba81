/**
 * One registered resource: slot by slot who holds it, what is taken along with it, what is above and below it; changing
 * and deleting it.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { PATH_DELIMITER } from '../../domain/resources.ts';
import { slotOwners } from '../../engine/reservations/slotOwners.ts';
import { callApi, type Failed } from '../callApi.ts';
import { Confirm } from '../components/confirm.tsx';
import { Page } from '../components/layout.tsx';
import { asTyped, RegisterForm } from '../components/registerForm.tsx';
import { childrenOf, ResourceTree, resourcePath } from '../components/resourceTree.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { pageNumber, readForm } from '../form.ts';
import { type Row, readRows } from '../rows.ts';

const AT = '/dashboard/resources/one';
const MOST_SLOTS = 500;

const Query = z.object({ name: z.string() });
const Delete = z.object({ name: z.string(), cascade: z.string().optional() });

export const resourceRoutes = (deps: DashboardDeps) => {
  const { engine } = deps;

  const show = async (c: Context<DashboardEnv>, name: string, failed?: Failed) => {
    const { viewer } = c.var;
    const page = pageNumber.parse(c.req.query('page'));
    const link = (to: number) => `${AT}?${new URLSearchParams({ name, page: String(to) })}`;
    const rows = await readRows(engine, viewer.credential);
    const row = rows.get(name);
    if (row === undefined) throw new HoldfastError('unregistered', 'No such resource is registered.');
    const { blocks } = row;
    const slots = slotsOf(row);
    const unregistered = blocks.filter((blocker) => !rows.has(blocker));
    const owners = await slotOwners(engine, viewer.credential, [...slots, ...unregistered]);
    const blockers = blocks.map(
      (blocker) => rows.get(blocker) ?? plain(blocker, owners[slots.length + unregistered.indexOf(blocker)] ?? null),
    );
    const above = ancestorsOf(rows, row);
    const children = childrenOf(rows);
    const below = children.get(name) ?? [];
    const treePath = above.length === 0 ? null : above.map((one) => one.name).join(PATH_DELIMITER);
    return c.html(
      <Page title={name} viewer={viewer} at="/dashboard/resources" failed={failed} renew={{ from: link(page) }}>
        <Above rows={above} />
        <section aria-labelledby="slots-title" data-live="slots">
          <h2 id="slots-title">{`${Math.max(0, row.capacity - row.held)} of ${row.capacity} free`}</h2>
          <ul class="slots">
            {slots.map((slot, i) => (
              <li class={owners[i] ? 'held' : 'free'}>
                <strong>{slot}</strong> <span>{owners[i] ?? 'free'}</span>
              </li>
            ))}
          </ul>
          {row.capacity > slots.length && <p>{`The first ${slots.length} slots are shown.`}</p>}
        </section>
        {blocks.length > 0 && (
          <section aria-labelledby="blocks-title" data-live="blocks">
            <h2 id="blocks-title">Taken along</h2>
            <ResourceTree roots={blockers} children={new Map()} page={1} link={link} />
          </section>
        )}
        {below.length > 0 && (
          <section aria-labelledby="below-title" data-live="below">
            <h2 id="below-title">Below it</h2>
            <ResourceTree roots={below} children={children} page={page} link={link} />
          </section>
        )}
        <RegisterForm title="Change it" isKnown typed={asTyped({ ...row, blocks, treePath })} />
        <section aria-labelledby="delete-title">
          <h2 id="delete-title">Delete it</h2>
          <Confirm
            id="delete"
            label="Delete"
            about={name}
            question={`Delete the definition of “${name}”? What is held cannot be deleted.`}
            action={`${AT}/delete`}
            fields={{ name }}
          >
            {below.length > 0 && (
              <label class="check">
                <input type="checkbox" name="cascade" value="true" /> and all that is below it
              </label>
            )}
          </Confirm>
        </section>
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c, Query.parse(c.req.query()).name))
    .post(`${AT}/delete`, async (c) => {
      const { name, cascade } = await readForm(c, Delete);
      const query = cascade === undefined ? '' : '?cascade=true';
      const reply = await callApi(deps, c, 'DELETE', `/api/v1/Resource/${encodeURIComponent(name)}${query}`);
      return reply.ok ? c.redirect('/dashboard/resources?done=deleted', 303) : show(c, name, reply);
    });
};

/** The names of its slots, as many as are shown (docs/specification.md#words). */
const slotsOf = ({ name, capacity }: Row): string[] =>
  capacity === 1 ? [name] : Array.from({ length: Math.min(capacity, MOST_SLOTS) }, (_, i) => `${name}_${i}`);

/** A blocker that nobody has registered. */
const plain = (name: string, owner: string | null): Row => ({
  name,
  capacity: 1,
  parent: '',
  held: owner === null ? 0 : 1,
  blocks: [],
});

function ancestorsOf(rows: ReadonlyMap<string, Row>, row: Row): Row[] {
  const above: Row[] = [];
  for (let parent = rows.get(row.parent); parent !== undefined; parent = rows.get(parent.parent)) above.unshift(parent);
  return above;
}

const Above = ({ rows }: { rows: readonly Row[] }) => (
  <nav aria-label="Above it">
    <ol class="path">
      <li>
        <a href="/dashboard/resources">Resources</a>
      </li>
      {rows.map(({ name }) => (
        <li>
          <a href={resourcePath(name)}>{name}</a>
        </li>
      ))}
    </ol>
  </nav>
);
