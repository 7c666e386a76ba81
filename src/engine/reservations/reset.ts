/**
 * Ends all reservations of a tenant (docs/specification.md#reset). The time does not depend on their number.
 */
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toInteger } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';

/**
 * @returns the number of reservations ended
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reset(engine: Engine, credential: Credential): Promise<Charged<number>> {
  const { result, quota } = await callCharged(engine, 'reset', credential, () => []);
  return { result: toInteger(result[0]), quota };
}
