/**
 * Checks whether a resource has a free slot (docs/specification.md#check, #registration).
 */
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { callInBatch } from '../batch.ts';
import type { Engine } from '../engine.ts';

/**
 * Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const available = (engine: Engine, credential: Credential, resource: string): Promise<Charged<boolean>> =>
  callInBatch(engine, 'available', credential, 1, [resource], undefined, ({ quota, result }) => ({
    quota,
    result: result[0] === 1,
  }));
