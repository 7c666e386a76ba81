/**
 * The page of one registered resource: the holder of each slot, its blockers, its ancestors and descendants; change and
 * delete.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { PATH_DELIMITER } from '../../domain/resources.ts';
import type { Engine } from '../../engine/call.ts';
import { slotOwners } from '../../engine/reservations/slotOwners.ts';
import { deleteDefinition } from '../../operations/deleteDefinition.ts';
import { Confirm } from '../components/confirm.tsx';
import { Page } from '../components/layout.tsx';
import { asTyped, RegisterForm } from '../components/registerForm.tsx';
import { childrenOf, ResourceTree, resourcePath } from '../components/resourceTree.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm } from '../form.ts';
import { resourceSchema } from '../formSchemas.ts';
import { type Row, readRows } from '../rows.ts';

const AT = '/dashboard/resources/one';
const MAX_SLOTS = 500;

const Query = z.object({ name: z.string() });
const Delete = z.object({ name: z.string(), cascade: z.string().optional() });

export const resourceRoutes = (deps: DashboardDeps) => {
  const Resource = resourceSchema(deps);

  const show = async (c: Context<DashboardEnv>, name: string, failed?: Failed) => {
    const page = pageNumber.parse(c.req.query('page'));
    const details = await readDetails(deps.engine, c.var.viewer, name);
    return c.html(
      <ResourcePage viewer={c.var.viewer} page={page} details={details} failed={failed} />,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c, Query.parse(c.req.query()).name))
    .post(`${AT}/delete`, async (c) => {
      const { name, cascade } = await readForm(c, Delete);
      const deleted = await attempt(deps, c, async () =>
        deleteDefinition(deps, c.var.viewer.credential, check(Resource, { name }).name, cascade !== undefined),
      );
      return deleted.ok ? c.redirect('/dashboard/resources?done=deleted', 303) : show(c, name, deleted);
    });
};

interface Details {
  readonly row: Row;
  readonly slots: readonly string[];
  /** The holder of each slot; null: it is free */
  readonly owners: readonly (string | null)[];
  readonly blockers: readonly Row[];
  /** From the root down. */
  readonly ancestors: readonly Row[];
  /** Parent → its children. */
  readonly children: ReadonlyMap<string, readonly Row[]>;
}

/** @throws HoldfastError unregistered, unauthenticated, forbidden, unavailable */
async function readDetails(engine: Engine, { credential }: Viewer, name: string): Promise<Details> {
  const rows = await readRows(engine, credential);
  const row = rows.get(name);
  if (row === undefined) throw new HoldfastError('unregistered', 'No such resource is registered.');
  const slots = slotsOf(row);
  const unregistered = row.blocks.filter((blocker) => !rows.has(blocker));
  const owners = await slotOwners(engine, credential, [...slots, ...unregistered]);
  const blockers = row.blocks.map(
    (blocker) => rows.get(blocker) ?? plain(blocker, owners[slots.length + unregistered.indexOf(blocker)] ?? null),
  );
  return { row, slots, owners, blockers, ancestors: ancestorsOf(rows, row), children: childrenOf(rows) };
}

interface ResourcePageProps {
  readonly viewer: Viewer;
  /** The page of its children. */
  readonly page: number;
  readonly details: Details;
  readonly failed: Failed | undefined;
}

const ResourcePage = ({ viewer, page, details, failed }: ResourcePageProps) => {
  const { row, blockers, ancestors, children } = details;
  const { name } = row;
  const link = (to: number) => `${AT}?${new URLSearchParams({ name, page: String(to) })}`;
  const below = children.get(name) ?? [];
  const treePath = ancestors.length === 0 ? null : ancestors.map((one) => one.name).join(PATH_DELIMITER);
  return (
    <Page title={name} viewer={viewer} at="/dashboard/resources" failed={failed} renew={{ from: link(page) }}>
      <Ancestors rows={ancestors} />
      <Slots details={details} />
      {blockers.length > 0 && (
        <section aria-labelledby="blocks-title" data-live="blocks">
          <h2 id="blocks-title">Blockers</h2>
          <ResourceTree roots={blockers} children={new Map()} page={1} link={link} />
        </section>
      )}
      {below.length > 0 && (
        <section aria-labelledby="below-title" data-live="below">
          <h2 id="below-title">Below it</h2>
          <ResourceTree roots={below} children={children} page={page} link={link} />
        </section>
      )}
      <RegisterForm title="Change it" isKnown typed={asTyped({ ...row, treePath })} />
      <section aria-labelledby="delete-title">
        <h2 id="delete-title">Delete it</h2>
        <Confirm
          id="delete"
          label="Delete"
          about={name}
          question={`Delete the definition of “${name}”? A resource that is held cannot be deleted.`}
          action={`${AT}/delete`}
          fields={{ name }}
        >
          {below.length > 0 && (
            <label class="check">
              <input type="checkbox" name="cascade" value="true" /> and all resources below it
            </label>
          )}
        </Confirm>
      </section>
    </Page>
  );
};

const Slots = ({ details: { row, slots, owners } }: { details: Details }) => (
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
);

/** The names of the slots that the page shows (docs/specification.md#words). */
const slotsOf = ({ name, capacity }: Row): string[] =>
  capacity === 1 ? [name] : Array.from({ length: Math.min(capacity, MAX_SLOTS) }, (_, i) => `${name}_${i}`);

/** A blocker that is not registered. */
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

const Ancestors = ({ rows }: { rows: readonly Row[] }) => (
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
