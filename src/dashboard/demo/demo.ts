/**
 * Adds demo data to a tenant, and removes it again. Nothing that a user made is changed or removed: names that are
 * taken are left out, and only what has both a name and the label of the demo data is removed.
 */
import type { Registration } from '../../contract/definitions.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { type ResourceState, resourceStates } from '../../engine/reservations/states.ts';
import { readTerms } from '../../engine/tenant/record.ts';
import { deleteDefinition, register } from '../../operations/definitions.ts';
import { reserve, unreserve } from '../../operations/reservations.ts';
import { cancel, NO_POLLING } from '../../operations/waiting.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { check } from '../form.ts';
import { cancelSchema, registerSchema, releaseSchema, reserveSchema } from '../formSchemas.ts';
import { DEMO, DEMO_HOLDS, type DemoHold, type DemoResource } from './demoData.ts';

const LABEL = { demo: 'true' };

/** True if labels are those of demo data. */
export const isDemo = (labels: Readonly<Record<string, string>>): boolean => labels.demo === LABEL.demo;

const statesOf = ({ engine }: DashboardDeps, { credential }: Viewer): Promise<ResourceState[]> =>
  resourceStates(
    engine,
    credential,
    DEMO.map(({ name }) => name),
    { slots: 1 },
  );

/**
 * @param names of the resources to add; their groups are left out
 * @returns the number of resources that were added
 * @throws HoldfastError refused if all names are taken; as register() in src/operations/definitions.ts
 */
export async function addDemo(deps: DashboardDeps, viewer: Viewer, names?: readonly string[]): Promise<number> {
  const states = await statesOf(deps, viewer);
  const taken = new Set(states.filter(({ isRegistered, held }) => isRegistered || held > 0).map(({ name }) => name));
  const added = DEMO.filter(({ name }) => !taken.has(name) && (names?.includes(name) ?? true));
  if (added.length === 0) throw new HoldfastError('refused', 'nothing was added: these names are there already');
  const isAdded = new Set(added.map(({ name }) => name));
  const items = check(
    registerSchema(deps),
    added.map((one) => definitionOf(one, isAdded)),
  );
  await register(deps, viewer.credential, items);
  if (names === undefined) await hold(deps, viewer, isAdded);
  return added.length;
}

/** Resources that a user registered are neither parents nor blockers of demo data. */
function definitionOf(
  { name, group, capacity, parent, blocks = [], labels, bookable }: DemoResource,
  isAdded: Set<string>,
) {
  const item: Partial<Registration> = {
    name,
    labels: { ...labels, ...LABEL },
    blocks: blocks.filter((one) => isAdded.has(one)),
    ...(group ? { group } : { capacity: capacity ?? 1 }),
    ...(parent !== undefined && isAdded.has(parent) && { treePath: parent }),
    ...(bookable && { bookable }),
  };
  return item;
}

/** Reserves some of it for requesters of the demo. What the limits of the tenant refuse is left out. */
async function hold(deps: DashboardDeps, { credential }: Viewer, isAdded: ReadonlySet<string>): Promise<void> {
  const { maxTtlSeconds } = await readTerms(deps.engine, credential);
  const itemOf = ({ resource, requester, minutes, note, count, isWait }: DemoHold) => ({
    resource,
    requester,
    note,
    ttlSeconds: Math.min(minutes * 60, maxTtlSeconds ?? Number.POSITIVE_INFINITY),
    ...(count !== undefined && { count }),
    ...(isWait && { waitSeconds: Math.min(3600, deps.sizes.waitSeconds), claimSeconds: 60 }),
  });
  const items = DEMO_HOLDS.filter(({ resource }) => isAdded.has(resource)).map(itemOf);
  if (items.length > 0) await reserve(deps, credential, check(reserveSchema(deps), items), NO_POLLING);
}

/**
 * @returns the number of resources that are kept, since others use them or have put something below them
 * @throws HoldfastError unauthenticated, unavailable, forbidden; LimitError
 */
export async function removeDemo(deps: DashboardDeps, viewer: Viewer): Promise<number> {
  const { credential } = viewer;
  const ours = new Set(
    (await statesOf(deps, viewer)).flatMap(({ name, isRegistered, labels }) =>
      isRegistered && isDemo(labels) ? [name] : [],
    ),
  );
  const holds = DEMO_HOLDS.filter(({ resource }) => ours.has(resource));
  const items = (isWait: boolean) =>
    holds.filter((one) => (one.isWait ?? false) === isWait).map(({ resource, requester }) => ({ resource, requester }));
  if (items(true).length > 0) await cancel(deps, credential, check(cancelSchema(deps), items(true)));
  // A wait may have been granted meanwhile.
  const all = [...items(false), ...items(true)];
  if (all.length > 0) await unreserve(deps, credential, check(releaseSchema(deps), all));
  let kept = 0;
  for (const { name } of DEMO.filter((one) => ours.has(one.name)).toReversed())
    if (!(await isDeleted(deps, viewer, name))) kept++;
  return kept;
}

async function isDeleted(deps: DashboardDeps, { credential }: Viewer, name: string): Promise<boolean> {
  try {
    await deleteDefinition(deps, credential, name, false);
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && (error.code === 'refused' || error.code === 'unregistered')) return false;
    throw error;
  }
}
