/**
 * Charges one read for a HEAD request, whose response has only headers.
 */
import type { Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @returns the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const chargeRead = (
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  credential: Credential,
): Promise<readonly Quota[]> => countUse(deps, credential, deps.reads.charge(credential));
