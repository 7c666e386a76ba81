/** Compares a file of resources with those that are registered. */
import type { Definition, Registration } from '../../types.ts';
import type { Texts } from './file.ts';

/** A resource to register or to delete. */
export interface Change {
  readonly action: 'add' | 'change' | 'delete';
  readonly name: string;
  /** The differences: `capacity 4 → 6`. Never the values of attributes. */
  readonly details: readonly string[];
  /** The registration to send; undefined for a deletion. */
  readonly item?: Registration;
}

/** A resource that would be deleted if others did not need it. */
export interface Kept {
  readonly name: string;
  /** Why it stays. */
  readonly why: string;
}

export interface Plan {
  /** In the order in which they are carried out. */
  readonly changes: readonly Change[];
  readonly kept: readonly Kept[];
  /** Resources of the file that are as it says. */
  readonly unchanged: number;
}

const pathOf = (treePath: string | null | undefined): readonly string[] => treePath?.split('>') ?? [];

const listText = (names: readonly string[]) => names.join(', ') || 'none';

const labelText = (labels: Texts | undefined) =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(' ') || 'none';

/** The fields that have a default, as texts that are equal if the values are. */
const TEXTS: Readonly<Record<string, (item: Definition) => string>> = {
  capacity: ({ capacity }) => String(capacity ?? 'none'),
  blocks: ({ blocks }) => listText(blocks),
  below: ({ treePath }) => treePath ?? 'none',
  group: ({ group }) => (group ? 'yes' : 'no'),
  labels: ({ labels }) => labelText(labels),
  afterUse: ({ afterUse }) => afterUse ?? 'ready',
  bookable: ({ bookable }) => (bookable ? 'yes' : 'no'),
};

const isEmpty = (texts: Texts) => Object.keys(texts).length === 0;
const sorted = (texts: Texts) => Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1));

/** Attributes as one text. Slots without attributes at the end do not count. */
function attributesText({ attributes, slotAttributes }: Partial<Definition>): string {
  const slots = [...(slotAttributes ?? [])];
  while (slots.length > 0 && isEmpty(slots.at(-1) ?? {})) slots.pop();
  return JSON.stringify([sorted(attributes ?? {}), slots.map(sorted)]);
}

/** The whole definition that the file asks for: what it leaves out gets its default. */
const wantedOf = (item: Registration): Definition => ({
  name: item.name,
  capacity: item.capacity ?? (item.group ? null : 1),
  blocks: [...(item.blocks ?? [])],
  treePath: item.treePath ?? null,
  group: item.group ?? false,
  labels: { ...item.labels },
  afterUse: item.afterUse ?? 'ready',
  bookable: item.bookable ?? false,
});

const DEFAULTS = wantedOf({ name: '' });

/** @param known the definition as it is; undefined: it is not registered */
function changeOf(item: Registration, known: Definition | undefined): Change | undefined {
  const wanted = wantedOf(item);
  const before = known ?? DEFAULTS;
  const attributes = {
    ...(item.attributes && { attributes: item.attributes }),
    ...(item.slotAttributes && { slotAttributes: item.slotAttributes }),
  };
  const details = Object.entries(TEXTS).flatMap(([field, textOf]) => {
    const [from, to] = [textOf(before), textOf(wanted)];
    // A new group has no capacity.
    if (from === to || (known === undefined && to === 'none')) return [];
    return [known === undefined ? `${field} ${to}` : `${field} ${from} → ${to}`];
  });
  if (attributesText({ ...before, ...attributes }) !== attributesText(before)) details.push('attributes');
  if (known !== undefined && details.length === 0) return undefined;
  const { afterUse, bookable, ...others } = wanted;
  const sent: Registration = {
    ...others,
    ...attributes,
    ...(item.groups != null && { groups: item.groups }),
    ...(afterUse !== (before.afterUse ?? 'ready') && { afterUse }),
    ...(bookable !== (before.bookable ?? false) && { bookable }),
  };
  return { action: known === undefined ? 'add' : 'change', name: item.name, details, item: sent };
}

const depthOf = ({ item }: Change) => pathOf(item?.treePath).length;

/** Ancestors first. */
export function changesOf(
  file: readonly Registration[],
  registered: readonly Definition[],
): Pick<Plan, 'changes' | 'unchanged'> {
  const known = new Map(registered.map((definition) => [definition.name, definition]));
  const changes = file
    .flatMap((item) => changeOf(item, known.get(item.name)) ?? [])
    .sort((one, other) => depthOf(one) - depthOf(other));
  return { changes, unchanged: file.length - changes.length };
}

/**
 * The names to delete of those with a prefix that the file does not have, leaves first. An ancestor that the file names
 * only in a `treePath` counts as one that it has.
 */
export function deletionsOf(
  file: readonly Registration[],
  registered: readonly Definition[],
  prefix: string,
): { readonly deletions: readonly Change[]; readonly kept: readonly Kept[] } {
  const inFile = new Set(file.flatMap(({ name, treePath }) => [name, ...pathOf(treePath)]));
  const candidates = registered.filter(({ name }) => name.startsWith(prefix) && !inFile.has(name));
  const leaving = new Set(candidates.map(({ name }) => name));
  const needs = new Map<string, string>();
  for (const { name, treePath, blocks } of registered) {
    if (leaving.has(name) || inFile.has(name)) continue;
    for (const ancestor of pathOf(treePath)) needs.set(ancestor, `${name} is below it`);
    for (const blocker of blocks) needs.set(blocker, `${name} blocks it`);
  }
  const staying = candidates.filter(({ name }) => needs.has(name));
  for (const { name, treePath } of staying)
    for (const ancestor of pathOf(treePath)) if (!needs.has(ancestor)) needs.set(ancestor, `${name} is below it`);
  return {
    deletions: candidates
      .filter(({ name }) => !needs.has(name))
      .sort((one, other) => pathOf(other.treePath).length - pathOf(one.treePath).length)
      .map(({ name }) => ({ action: 'delete', name, details: [] })),
    kept: candidates.flatMap(({ name }) => {
      const why = needs.get(name);
      return why === undefined ? [] : [{ name, why }];
    }),
  };
}
