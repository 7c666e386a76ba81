/**
 * Reads how a resource is for a person, and the slots whose condition they are about to change.
 */

import type { CheckResult } from '../../contract/check.ts';
import { MAX_SLOTS_SET } from '../../domain/conditions.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { type HeldSlot, type Registered, resourceState } from '../../engine/reservations/resource.ts';
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { check as checkState } from '../../operations/reservations.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { check } from '../form.ts';
import { checkSchema } from '../formSchemas.ts';

export interface Care {
  /** The resource, or the slot of a pool. */
  readonly name: string;
  /** The pool, or the resource itself. */
  readonly resource: string;
  /** The number of slots of the resource. */
  readonly capacity: number;
  /** The names of the slots that the name means, as far as they were read. */
  readonly slots: readonly string[];
  readonly notReady: readonly SlotCondition[];
  readonly holds: readonly HeldSlot[];
}

/** @throws HoldfastError refused if it has no condition; unauthenticated, forbidden, unavailable */
export async function readCare(engine: Engine, credential: Credential, name: string): Promise<Care> {
  const state = await resourceState(engine, credential, name, 0, MAX_SLOTS_SET);
  const { registered, slot } = state;
  const resource = state.resource ?? name;
  if (registered === null)
    throw new HoldfastError('refused', `“${name}” is not registered: only registered resources have a condition.`);
  if (registered.capacity === null)
    throw new HoldfastError('refused', `“${name}” is a group: it has no slots that could be out of service.`);
  const { capacity } = registered;
  const all =
    capacity === 1
      ? [resource]
      : Array.from({ length: Math.min(MAX_SLOTS_SET, capacity) }, (_, i) => `${resource}_${i}`);
  const slots = slot === null ? all : [slot];
  const isMeant = (one: { readonly slot: string }) => slots.includes(one.slot);
  return {
    name: slot ?? resource,
    resource,
    capacity,
    slots,
    notReady: state.notReady.filter(isMeant),
    holds: state.holds.filter(isMeant),
  };
}

/**
 * Tells whether a slot of a resource is in a condition, and nobody holds it.
 * @throws HoldfastError refused if it has no condition; unauthenticated, forbidden, unavailable
 */
export async function hasFreeIn(engine: Engine, credential: Credential, name: string, condition: string) {
  const { notReady, holds } = await readCare(engine, credential, name);
  const held = new Set(holds.map(({ slot }) => slot));
  return notReady.some((one) => one.condition === condition && !held.has(one.slot));
}

/**
 * Returns the definition of a name; null: it is not registered.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export const definitionOf = async (engine: Engine, credential: Credential, name: string): Promise<Registered | null> =>
  (await resourceState(engine, credential, name, 0, 1)).registered;

/**
 * Returns a function that reads how a resource is for a person: who has it, and whether they can
 * (docs/specification.md#check).
 * @throws HoldfastError refused, unauthenticated, forbidden, unavailable
 */
export function stateReader(deps: DashboardDeps) {
  const Checks = checkSchema(deps);
  return async ({ user, credential }: Viewer, resource: string): Promise<CheckResult | null> => {
    const items = check(Checks, [{ resource, requester: requesterOf(user) }]);
    return (await checkState(deps, credential, items)).result[0] ?? null;
  };
}
