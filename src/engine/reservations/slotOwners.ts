/**
 * Returns who holds each slot of a resource, for the dashboard.
 */
import type { Credential } from '../../domain/tenants.ts';
import { call, type Engine } from '../call.ts';
import { type SlotState, toSlotState } from './slotState.ts';

/**
 * @param slots names of slots, at most about 2,000
 * @returns the state of each slot, in their order
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function slotOwners(
  engine: Engine,
  credential: Credential,
  slots: readonly string[],
): Promise<SlotState[]> {
  const states: SlotState[] = [];
  while (states.length < slots.length) {
    const rest = slots.slice(states.length);
    const piece = await call(engine, 'slotOwners', credential, () => rest);
    states.push(...piece.map(toSlotState));
  }
  return states;
}
