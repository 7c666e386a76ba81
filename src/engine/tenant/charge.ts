/**
 * Charges the tenant's quota of writes for a request that no script charges
 * (docs/specification.md#what-a-request-costs).
 */
import type { Quota } from '../../domain/quota.ts';
import type { Right } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/**
 * @param right what the credential must be allowed to do
 * @returns the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError if the quota is used up
 */
export async function chargeWrite(engine: Engine, credential: Credential, right: Right): Promise<readonly Quota[]> {
  return (await callCharged(engine, 'charge', credential, () => [right])).quota;
}
