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
}

/**
 * @param item what the person typed, checked
 * @returns null once it is registered, or what to ask first
 * @throws HoldfastError as register() in src/operations/definitions.ts
 */
export async function registerTyped(
  deps: DashboardDeps,
  { credential }: Viewer,
  typed: Typed,
  item: Registration,
): Promise<Question | null> {
  const { name, treePath } = item;
  const ancestors = treePath?.split(PATH_DELIMITER) ?? [];
  const states = await resourceStates(deps.engine, credential, [name, ...ancestors], { slots: 1 });
  // A name may mean something else that is registered: a slot means its pool.
  const registered = new Set(states.filter(({ isRegistered }) => isRegistered).map((state) => state.name));
  if (typed.change === undefined && registered.has(name)) return exists(name);
  const missing = ancestors.filter((one) => !registered.has(one));
  const isDecided = typed.ancestors !== undefined && typed.missing === missing.join(PATH_DELIMITER);
  if (missing.length > 0 && !isDecided) return asks(missing);
  await register(deps, credential, [item]);
  return null;
}

const exists = (name: string): Question => ({
  status: 409,
  fault: `“${name}” is registered already. Choose another name, or change it on its page.`,
  link: { to: resourcePath(name), text: `Open ${name}` },
  missing: [],
});

const asks = (missing: readonly string[]): Question => ({
  status: 409,
  fault: `Not registered yet: ${missing.map((one) => `“${one}”`).join(', ')}. Correct the tree path, or say what to register.`,
  link: { to: '#registration', text: 'Go to the form' },
  missing,
});
