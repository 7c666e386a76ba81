/**
 * Opens a stream of the tenant's events (docs/specification.md#the-stream). Costs one read.
 */
import type { Charged, Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @param open opens the stream, once the read is charged
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError if too many streams are open, too
 */
export const watch = <Result>(
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  credential: Credential,
  open: (quota: readonly Quota[]) => Promise<Result>,
): Promise<Charged<Result>> => countUse(deps, credential, charged(deps.reads.charge(credential, 'read'), open));
