/**
 * Limits of a tier as callers meet them (docs/specification.md#errors, #events, #limits).
 */
import { LimitError } from './errors.ts';
import { isRaisedByUpgrade, type Tier, type TierLimits, type TierTable } from './tiers.ts';

/** The kinds that events and refusals name, and the column of the table of tiers that holds the limit. */
export const LIMITED_BY = {
  OperationsPerMinute: 'writesPerMinute',
  ReadsPerMinute: 'readsPerMinute',
  OperationsPerDay: 'writesPerDay',
  ConcurrentReservations: 'reservations',
  EventConnections: 'eventConnections',
  ApiKeys: 'apiKeys',
  ResourceDefinitions: 'definitions',
} as const satisfies Record<string, keyof TierLimits>;

export type LimitType = keyof typeof LIMITED_BY;

/** A request that does not fit into what its tenant's tier allows. */
export interface Misfit {
  readonly limitType: LimitType;
  readonly limit: number;
  readonly tier: Tier;
  /** How much of it the request would have taken. */
  readonly asked: number;
  /** Seconds to wait. */
  readonly retryAfter: number;
  /** Whether nothing of it is left, so that the smallest request would not fit either. */
  readonly isUsedUp?: boolean;
}

/** The refusal of a request that does not fit; one that never can says so. */
export function tierLimitError(tiers: TierTable, misfit: Misfit): LimitError {
  const { limitType, limit, tier, asked, retryAfter, isUsedUp = false } = misfit;
  const message =
    asked > limit && !isUsedUp
      ? `A request of ${asked} can never fit in tier ${tier}: its limit is ${limit} ${limitType}.`
      : `The limit of tier ${tier} is reached: ${limit} ${limitType}.`;
  const upgradeRequired = isRaisedByUpgrade(tiers, tier, LIMITED_BY[limitType]);
  return new LimitError(message, { limitType, limit, tier, retryAfter, upgradeRequired }, isUsedUp);
}
