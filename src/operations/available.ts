/**
 * Checks whether a resource has a free slot (docs/specification.md#check). Costs one read.
 */
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/definitions/list.ts';
import { countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/** @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError */
export const available = (
  deps: Pick<OperationDeps, 'engine' | 'activity'>,
  credential: Credential,
  resource: string,
): Promise<Charged<boolean>> => countUse(deps, credential, engine.available(deps.engine, credential, resource));
