/**
 * Releases reservations (docs/specification.md#release). An item whose token is wrong has the explanation
 * INVALID_RELEASE_TOKEN.
 */

import type { UnreserveItem, UnreserveResult } from '../contract/reservations.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/unreserve.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { chargeRepeat } from './repeats.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const unreserve = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
  credential: Credential,
  items: readonly UnreserveItem[],
  once?: Once,
): Promise<Charged<UnreserveResult[]>> => {
  const charged = chargeRepeat(deps, credential, once, engine.unreserve(deps.engine, credential, items, once));
  return countItems(deps, credential, 'unreserve', charged, (results) => results).then((done) => {
    noteTaken(deps.trail, credential, done, done.result);
    return done;
  });
};

/** Notes in the audit trail which reservations a request took away from their holders, unless it is a repeat. */
export function noteTaken(
  trail: OperationDeps['trail'],
  credential: Credential,
  { isReplayed }: Pick<Charged<unknown>, 'isReplayed'>,
  results: readonly Pick<UnreserveResult, 'resource' | 'requester'>[],
): void {
  const taken = isReplayed ? [] : results.filter(engine.wasTaken);
  if (taken.length === 0) return;
  trail?.note(
    credential,
    ...taken.map(({ resource, requester }) => ({ action: 'reservation.take', details: { resource, requester } })),
  );
}
