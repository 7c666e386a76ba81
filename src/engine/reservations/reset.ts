/**
 * Ends all reservations of a tenant (docs/specification.md#reset). The time does not depend on their number.
 */
import type { Once } from '../../domain/once.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toInteger } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @param actor for whom the service does it, if it does; else the script names the caller
 * @returns the number of reservations ended
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reset(engine: Engine, credential: Credential, once?: Once, actor = ''): Promise<Charged<number>> {
  const { result, ...charged } = await callCharged(engine, 'reset', credential, () => [actor], { once });
  return { ...charged, result: toInteger(result[0]) };
}
