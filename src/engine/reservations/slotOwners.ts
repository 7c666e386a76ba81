/**
 * Returns who holds each slot of a resource, for the dashboard.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toText } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/**
 * @param slots names of slots, at most about 2,000
 * @returns the owner of each slot, in their order; null if the slot is free
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function slotOwners(
  engine: Engine,
  credential: Credential,
  slots: readonly string[],
): Promise<(string | null)[]> {
  const owners: (string | null)[] = [];
  while (owners.length < slots.length) {
    const rest = slots.slice(owners.length);
    const piece = await call(engine, 'slotOwners', credential, () => rest);
    owners.push(...piece.map((owner) => toText(owner) || null));
  }
  return owners;
}
