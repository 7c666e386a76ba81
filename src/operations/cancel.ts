/**
 * Ends waits, and grants that nobody claimed (docs/specification.md#cancel-and-who-is-waiting).
 */

import type { CancelItem, CancelResult } from '../contract/waiting.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/waiting/cancel.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { chargeRepeat } from './repeats.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const cancel = async (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
  credential: Credential,
  items: readonly CancelItem[],
  once?: Once,
): Promise<Charged<CancelResult[]>> => {
  const charged = chargeRepeat(deps, credential, once, engine.cancel(deps.engine, credential, items, once));
  const done = await countItems(deps, credential, 'cancel', charged, (results) => results);
  // Keys end the waits of their own requesters; people end those of others.
  const isByPerson = credential.kind === 'session' && !done.isReplayed;
  const ended = isByPerson ? done.result.filter(({ status }) => status === 'CANCELLED') : [];
  if (ended.length > 0)
    deps.trail?.note(
      credential,
      ...ended.map(({ resource, requester }) => ({ action: 'wait.cancel', details: { resource, requester } })),
    );
  return done;
};
