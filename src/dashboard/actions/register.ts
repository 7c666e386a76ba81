/**
 * Registers what a person typed, unless that would replace another definition or make ancestors that they did not mean
 * (docs/specification.md#dashboard-and-sign-in).
 */
import type { Registration } from '../../contract/definitions.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import { register } from '../../operations/definitions.ts';
import type { Typed } from '../components/registerForm.tsx';
import { resourcePath } from '../components/resourceTree.tsx';
import type { DashboardDeps, Viewer } from '../env.ts';
import type { Failed } from '../form.ts';

/** Why a registration was not carried out. */
export interface Question extends Failed {
  /** Ancestors that are not registered, and that the person has to decide about. */
  readonly missing: readonly string[];
  /** Slots that are held, if they are more than there would be, which the person has to accept. */
  readonly held?: number;
}

/**
 * @param item what the person typed, checked
 * @returns how many slots it had before, once it is registered; null: none. Or what to ask first
 * @throws HoldfastError as register() in src/operations/definitions.ts
 */
export async function registerTyped(
  deps: DashboardDeps,
  { credential }: Viewer,
  typed: Typed,
  item: Registration,
): Promise<Question | { readonly before: number | null }> {
  const { name } = item;
  const typedPath = item.treePath?.split(PATH_DELIMITER) ?? [];
  const states = await resourceStates(deps.engine, credential, [name, ...typedPath], { slots: 1 });
  // A parent is called by its name, too.
  const [, parent] = states;
  const above = typedPath.length === 1 && parent?.isRegistered ? parent.above : [];
  const ancestors = [...above, ...typedPath];
  // A name may mean something else that is registered: a slot means its pool.
  const known = states.filter(({ isRegistered }) => isRegistered).map((state) => state.name);
  const registered = new Set([...known, ...above]);
  if (typed.change === undefined && registered.has(name)) return exists(name);
  const held = states[0]?.held ?? 0;
  if (isSmaller(item, held) && typed.held !== String(held)) return asksAbout(name, item.capacity ?? 0, held);
  const missing = ancestors.filter((one) => !registered.has(one));
  const isDecided = typed.ancestors !== undefined && typed.missing === missing.join(PATH_DELIMITER);
  if (missing.length > 0 && !isDecided) return asks(missing);
  await register(deps, credential, [above.length === 0 ? item : { ...item, treePath: ancestors.join(PATH_DELIMITER) }]);
  return { before: registered.has(name) ? (states[0]?.capacity ?? null) : null };
}

/** True if fewer slots are left than are held now. */
const isSmaller = ({ capacity, group }: Registration, held: number) => group !== true && (capacity ?? 1) < held;

const asksAbout = (name: string, capacity: number, held: number): Question => ({
  status: 409,
  fault: `${held} slots of “${name}” are held, more than ${capacity}. Their holders keep them, and nobody else gets one until fewer than ${capacity} are held. Save again to accept this.`,
  missing: [],
  held,
});

const exists = (name: string): Question => ({
  status: 409,
  fault: `“${name}” is registered already. Choose another name, or change it on its page.`,
  field: 'name',
  link: { to: resourcePath(name), text: `Open ${name}` },
  missing: [],
});

const asks = (missing: readonly string[]): Question => ({
  status: 409,
  fault: `Not registered yet: ${missing.map((one) => `“${one}”`).join(', ')}. Correct the path, or say what to register.`,
  missing,
});
