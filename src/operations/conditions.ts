/**
 * Operations on the conditions of slots: sets them, or asks what that would do.
 */
import type { ConditionItem, ConditionResult } from '../contract/conditions.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { setCondition as callSetCondition, drySetCondition } from '../engine/reservations/conditions.ts';
import { charged, chargeRepeat, countItems, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';

/**
 * Takes slots out of service, brings them back, or says that they are dirty (docs/specification.md#condition). Costs
 * one write for each slot.
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError refused if the items mean too many slots; unauthenticated, unavailable; forbidden for a derived
 * token or a suspended tenant; LimitError
 */
export async function setCondition(
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
  credential: Credential,
  items: readonly ConditionItem[],
  idempotency?: Idempotency,
): Promise<Charged<ConditionResult[]>> {
  refuseToken(credential);
  const pending = callSetCondition(deps.engine, credential, items, idempotency);
  const done = await countItems(
    deps,
    credential,
    'setCondition',
    chargeRepeat(deps, credential, idempotency, pending),
    (results) => results,
  );
  if (!done.isReplayed) noteChanged(deps.trail, credential, items, done.result);
  return done;
}

/** Notes in the audit trail what was changed. */
function noteChanged(
  trail: OperationDeps['trail'],
  credential: Credential,
  items: readonly ConditionItem[],
  results: readonly ConditionResult[],
): void {
  const changed = items.filter((_, i) => results[i]?.status === 'CHANGED');
  if (changed.length === 0) return;
  trail?.note(
    credential,
    ...changed.map(({ resource, condition, reason }) => ({
      action: 'condition.set',
      details: { resource, condition, ...(reason !== undefined && { reason }) },
    })),
  );
}

/**
 * Asks what setCondition() would do, without doing it (docs/specification.md#asking-without-doing). Costs one read for
 * each item.
 * @returns the result that each item would have, in their order, and the remaining quota
 * @throws as setCondition()
 */
export async function dryRun(
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'>,
  credential: Credential,
  items: readonly ConditionItem[],
): Promise<Charged<ConditionResult[]>> {
  refuseToken(credential);
  const charging = deps.reads.charge(credential, 'define', items.length);
  return countUse(
    deps,
    credential,
    charged(charging, () => drySetCondition(deps.engine, credential, items)),
  );
}
