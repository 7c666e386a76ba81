/**
 * Charges a request that no script carries out to its tenant's quota of writes (docs/specification.md#limits).
 */
import type { Credential } from '../../domain/tenants.ts';
import { call, type Engine } from '../call.ts';

/** @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError where the quota is spent */
export async function chargeWrite(engine: Engine, credential: Credential): Promise<void> {
  await call(engine, 'charge', credential, () => []);
}
