/**
 * Checks whether a resource has a free slot (docs/specification.md#check, #registration).
 */
import type { Credential } from '../../domain/tenants.ts';
import { call, type Engine } from '../call.ts';

/** @throws HoldfastError unauthenticated, unavailable */
export async function available(engine: Engine, credential: Credential, resource: string): Promise<boolean> {
  const [free] = await call(engine, 'available', credential, () => [resource]);
  return free === 1;
}
