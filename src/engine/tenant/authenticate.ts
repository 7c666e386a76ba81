/**
 * Verifies a key where no script is to carry out the request, or not yet: before a faulty request is told what is wrong
 * with it, and before a read is charged.
 */
import { z } from 'zod';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { call, type Engine } from '../call.ts';

/**
 * @returns the tenant's tier
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function authenticate(engine: Engine, credential: Credential): Promise<Tier> {
  const [tier] = await call(engine, 'authenticate', credential, () => []);
  return z.enum(TIERS).parse(tier);
}
