/**
 * The page of one registered resource: the holder of each slot, who waits for it, its blockers, its ancestors and
 * descendants; change and delete.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { PATH_DELIMITER } from '../../domain/resources.ts';
import type { Engine } from '../../engine/call.ts';
import { slotOwners } from '../../engine/reservations/slotOwners.ts';
import { holderText, type SlotState } from '../../engine/reservations/slotState.ts';
import { deleteDefinition } from '../../operations/deleteDefinition.ts';
import { cancelForm } from '../cancelWait.ts';
import { Confirm } from '../components/confirm.tsx';
import { Note, Unclaimed } from '../components/heldTable.tsx';
import { Page } from '../components/layout.tsx';
import { asTyped, RegisterForm } from '../components/registerForm.tsx';
import { childrenOf, ResourceTree, resourcePath } from '../components/resourceTree.tsx';
import { WaitingPart } from '../components/waitingPart.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm } from '../form.ts';
import { resourceSchema } from '../formSchemas.ts';
import { labelTexts, type Row, readRows } from '../rows.ts';
import { searchReservations } from '../searchReservations.ts';
import { byNames, searchWaiting, type Waiters } from '../searchWaiting.ts';
import { may } from '../viewer.ts';

const AT = '/dashboard/resources/one';
const MAX_SLOTS = 500;

const Query = z.object({ name: z.string() });
const Delete = z.object({ name: z.string(), cascade: z.string().optional() });

export const resourceRoutes = (deps: DashboardDeps) => {
  const Resource = resourceSchema(deps);
  const cancelWait = cancelForm(deps);

  const show = async (c: Context<DashboardEnv>, name: string, failed?: Failed) => {
    const page = pageNumber.parse(c.req.query('page'));
    const details = await readDetails(deps.engine, c.var.viewer, name);
    return c.html(
      <ResourcePage viewer={c.var.viewer} page={page} details={details} done={c.req.query('done')} failed={failed} />,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c, Query.parse(c.req.query()).name))
    .post(`${AT}/cancel`, async (c) => {
      const { name } = Query.parse(c.req.query());
      const failed = await cancelWait(c);
      return failed
        ? show(c, name, failed)
        : c.redirect(`${AT}?${new URLSearchParams({ name, done: 'cancelled' })}`, 303);
    })
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
  /** The state of each slot. */
  readonly owners: readonly SlotState[];
  /** Slot → until when its holder can claim it. Slots that are not claimed only. */
  readonly unclaimed: ReadonlyMap<string, string>;
  readonly waiters: Waiters;
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
  const [owners, held, waiters] = await Promise.all([
    slotOwners(engine, credential, [...slots, ...unregistered]),
    searchReservations(engine, credential, { filter: { resource: name }, size: MAX_SLOTS }),
    searchWaiting(engine, credential, byNames([name, ...slots])),
  ]);
  const blockers = row.blocks.map(
    (blocker) =>
      rows.get(blocker) ?? plain(blocker, owners[slots.length + unregistered.indexOf(blocker)]?.hold != null),
  );
  const unclaimed = new Map(
    held.page.flatMap(({ resource, acquiredSlots, slots: several, claimBy }): [string, string][] =>
      claimBy === null ? [] : (several ?? [acquiredSlots?.[name] ?? resource]).map((slot) => [slot, claimBy]),
    ),
  );
  const family = { ancestors: ancestorsOf(rows, row), children: childrenOf(rows) };
  return { row, slots, owners, unclaimed, waiters, blockers, ...family };
}

interface ResourcePageProps {
  readonly viewer: Viewer;
  /** The page of its children. */
  readonly page: number;
  readonly details: Details;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
}

const ResourcePage = ({ viewer, page, details, done, failed }: ResourcePageProps) => {
  const { row, waiters, blockers, ancestors, children } = details;
  const { name } = row;
  const labels = labelTexts(row.labels);
  const link = (to: number) => `${AT}?${new URLSearchParams({ name, page: String(to) })}`;
  const below = children.get(name) ?? [];
  const treePath = ancestors.length === 0 ? null : ancestors.map((one) => one.name).join(PATH_DELIMITER);
  return (
    <Page
      title={name}
      viewer={viewer}
      at="/dashboard/resources"
      done={done}
      failed={failed}
      renew={{ from: link(page) }}
    >
      <Ancestors rows={ancestors} />
      {labels.length > 0 && <p data-live="labels">Labels: {labels.join(', ')}</p>}
      <Slots details={details} />
      <WaitingPart waiters={waiters} action={`${AT}/cancel?${new URLSearchParams({ name })}`} user={viewer.user} />
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
      {may(viewer, 'define') && (
        <>
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
        </>
      )}
    </Page>
  );
};

const Slots = ({ details: { row, slots, owners, unclaimed } }: { details: Details }) => (
  <section aria-labelledby="slots-title" data-live="slots">
    <h2 id="slots-title">
      {row.capacity === null
        ? 'A group: it has no slots of its own'
        : `${Math.max(0, row.capacity - row.held)} of ${row.capacity} free`}
    </h2>
    {row.capacity !== null && row.fullAncestor !== '' && (
      <p>Not available to new requesters: {row.fullAncestor} is full.</p>
    )}
    <ul class="slots">
      {owners.slice(0, slots.length).map(({ slot, hold }) => (
        <li class={hold ? 'held' : row.fullAncestor === '' ? 'free' : 'shut'}>
          <strong>{slot}</strong> <span>{hold ? holderText(hold) : 'free'}</span>
          <ClaimBy at={unclaimed.get(slot)} />
          <Note text={hold?.note} />
        </li>
      ))}
    </ul>
    {row.capacity !== null && row.capacity > slots.length && <p>{`The first ${slots.length} slots are shown.`}</p>}
  </section>
);

const ClaimBy = ({ at }: { at: string | undefined }) =>
  at === undefined ? null : (
    <span class="along">
      <Unclaimed claimBy={at} />
    </span>
  );

/** The names of the slots that the page shows (docs/specification.md#words). */
const slotsOf = ({ name, capacity }: Row): string[] =>
  capacity === 1 ? [name] : Array.from({ length: Math.min(capacity ?? 0, MAX_SLOTS) }, (_, i) => `${name}_${i}`);

/** A blocker that is not registered. */
const plain = (name: string, isHeld: boolean): Row => ({
  name,
  capacity: 1,
  parent: '',
  held: isHeld ? 1 : 0,
  waiting: 0,
  fullAncestor: '',
  labels: {},
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
