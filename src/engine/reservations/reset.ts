/**
 * Ends all reservations of a tenant (docs/specification.md#operations), in a time that does not depend on how many
 * there are.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toInteger } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/**
 * @returns how many it ended
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reset(engine: Engine, credential: Credential): Promise<number> {
  const [cleared] = await call(engine, 'reset', credential, () => []);
  return toInteger(cleared);
}
