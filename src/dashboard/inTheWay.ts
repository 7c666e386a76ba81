/**
 * Finds out what keeps new requesters from a resource, besides those who hold it.
 */
import type { Reason } from '../contract/reservationFields.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/call.ts';
import { check } from '../engine/reservations/check.ts';

/**
 * @param name of a resource
 * @returns the first thing in the way; null: nothing is, or the resource itself is held
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function readInTheWay(engine: Engine, credential: Credential, name: string): Promise<Reason | null> {
  const { result } = await check(engine, credential, [{ resource: name }]);
  const { reason } = result[0] ?? {};
  return reason === undefined || reason.kind === 'SLOTS' ? null : reason;
}
