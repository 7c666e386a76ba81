/**
 * Checks whether a resource has a free slot (docs/specification.md#check, #registration).
 */
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../call.ts';
import { share } from '../coalesce.ts';

/**
 * Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function available(engine: Engine, credential: Credential, resource: string): Promise<Charged<boolean>> {
  const { quota, result } = await share(engine, 'available', credential, 1, [resource]);
  return { quota, result: result[0] === 1 };
}
