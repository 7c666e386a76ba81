/**
 * Verifies a credential by a script of its own: for requests that no script carries out, or not yet. A faulty request
 * is verified before its caller learns what is wrong with it, and a read before it is charged.
 */
import { z } from 'zod';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { call, type Engine } from '../call.ts';

/**
 * @returns the tenant's tier
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function verifyCredential(engine: Engine, credential: Credential): Promise<Tier> {
  const [tier] = await call(engine, 'authenticate', credential, () => []);
  return z.enum(TIERS).parse(tier);
}
