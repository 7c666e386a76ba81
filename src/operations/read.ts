/**
 * Charges one read for a HEAD request, whose response has only headers.
 */
import type { Quota } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import { countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @param right what the caller must be allowed to do; null: anything
 * @returns the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const chargeRead = (
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  credential: Credential,
  right: Right | null,
): Promise<readonly Quota[]> => countUse(deps, credential, deps.reads.charge(credential, right));
