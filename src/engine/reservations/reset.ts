/**
 * Ends all reservations of a tenant (docs/specification.md#operations), in a time that does not depend on how many
 * there are.
 */
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toInteger } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';

/**
 * @returns how many it ended
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reset(engine: Engine, credential: Credential): Promise<Charged<number>> {
  const { result, quota } = await callCharged(engine, 'reset', credential, () => []);
  return { result: toInteger(result[0]), quota };
}
