/**
 * The limits of tiers, and the errors of requests that exceed them (docs/specification.md#limit-types, #limit-errors).
 */
import { LimitError } from './errors.ts';
import { isRaisedByUpgrade, type Tier, type TierLimits, type TierTable } from './tiers.ts';

/** Each `limitType` of events and errors, with the column of the tier table that holds its limit. */
export const LIMITED_BY = {
  OperationsPerMinute: 'writesPerMinute',
  ReadsPerMinute: 'readsPerMinute',
  OperationsPerDay: 'writesPerDay',
  ConcurrentReservations: 'reservations',
  EventConnections: 'eventConnections',
  ApiKeys: 'apiKeys',
  ResourceDefinitions: 'definitions',
  StoredBytes: 'bytes',
} as const satisfies Record<string, keyof TierLimits>;

export type LimitType = keyof typeof LIMITED_BY;

/** A request that exceeds a limit of its tenant's tier. */
export interface Misfit {
  readonly limitType: LimitType;
  readonly limit: number;
  readonly tier: Tier;
  /** How much of the limit the request would have taken. */
  readonly asked: number;
  /** Seconds to wait. */
  readonly retryAfter: number;
  /** True if nothing of the limit is left: the smallest request would not fit either. */
  readonly isUsedUp?: boolean;
}

/** Makes the error of a request that does not fit. The message says so if it can never fit. */
export function tierLimitError(tiers: TierTable, misfit: Misfit): LimitError {
  const { limitType, limit, tier, asked, retryAfter, isUsedUp = false } = misfit;
  const message =
    asked > limit && !isUsedUp
      ? `A request of ${asked} can never fit in tier ${tier}: its limit is ${limit} ${limitType}.`
      : `The limit of tier ${tier} is reached: ${limit} ${limitType}.`;
  const upgradeRequired = isRaisedByUpgrade(tiers, tier, LIMITED_BY[limitType]);
  return new LimitError(message, { limitType, limit, tier, retryAfter, upgradeRequired }, isUsedUp);
}
