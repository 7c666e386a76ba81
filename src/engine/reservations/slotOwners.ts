/**
 * Who holds each slot of a resource, for people to look at.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toText } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/**
 * @param slots their names, at most some 2,000
 * @returns who holds each, in their order; null where it is free
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
