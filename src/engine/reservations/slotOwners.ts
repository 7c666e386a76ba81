/**
 * Returns who holds each slot of a resource, for the dashboard.
 */
import type { Credential } from '../../domain/tenants.ts';
import { parseItem } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/** Who holds a slot, and the note of the reservation on it. */
export interface SlotOwner {
  readonly owner: string;
  readonly note: string | undefined;
}

/**
 * @param slots names of slots, at most about 2,000
 * @returns the holder of each slot, in their order; null if the slot is free
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function slotOwners(
  engine: Engine,
  credential: Credential,
  slots: readonly string[],
): Promise<(SlotOwner | null)[]> {
  const owners: (SlotOwner | null)[] = [];
  while (owners.length < slots.length) {
    const rest = slots.slice(owners.length);
    const piece = await call(engine, 'slotOwners', credential, () => rest);
    owners.push(...piece.map(toOwner));
  }
  return owners;
}

function toOwner(reply: unknown): SlotOwner | null {
  const [owner = '', note] = parseItem(reply);
  return owner === '' ? null : { owner, note };
}
