/**
 * Verifies a credential by a script that does nothing else, for requests that no other script verifies. A malformed
 * request is verified before its caller gets the description of the fault, and a read before it is charged.
 */
import { z } from 'zod';
import type { Right } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { call, type Engine } from '../call.ts';

/**
 * @param right what the credential must be allowed to do; null: anything
 * @returns the tenant's tier
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function verifyCredential(
  engine: Engine,
  credential: Credential,
  right: Right | null = null,
): Promise<Tier> {
  const [tier] = await call(engine, 'authenticate', credential, () => [right ?? '']);
  return z.enum(TIERS).parse(tier);
}
