/**
 * The failures of whole requests: the errors that code throws, the codes that callers get, and the limits of tiers that
 * requests may exceed (docs/specification.md#limit-types, #limit-errors).
 */
import type { Quota } from './quota.ts';
import { isRaisedByUpgrade, type Tier, type TierLimits, type TierTable } from './tiers.ts';

/** Codes that callers can rely on: `code` beside `error`, or the header Holdfast-Error if the body is a string. */
export const FAILURE_CODES = [
  'MALFORMED_REQUEST',
  'UNKNOWN_FIELD',
  'INVALID_HOST',
  'REFUSED',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'UPGRADE_REQUIRED',
  'INVALID_RELEASE_TOKEN',
  'PATH_NOT_FOUND',
  'NOT_REGISTERED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'BODY_TIMEOUT',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'LIMIT_REACHED',
  'IDEMPOTENCY_MISMATCH',
  'REQUEST_RUNNING',
  'RESPONSE_NOT_KEPT',
  'INTERNAL',
  'OVERLOADED',
  'UNAVAILABLE',
  'NOT_CONFIGURED',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** The codes of HoldfastError. http/errors.ts maps each to a status and a FailureCode. */
export type ErrorCode =
  | 'unauthenticated'
  | 'forbidden'
  | 'upgrade'
  | 'refused'
  | 'unregistered'
  | 'unknown'
  | 'limited'
  | 'mismatch'
  | 'running'
  | 'notKept'
  | 'overloaded'
  | 'unavailable';

/** The limit that a request hit (docs/specification.md#limit-errors). */
export interface LimitHit {
  readonly limitType: string;
  readonly limit: number;
  /** null: the limit is not a tenant's */
  readonly tier: string | null;
  /** Seconds to wait. */
  readonly retryAfter: number;
  readonly upgradeRequired: boolean;
}

export class HoldfastError extends Error {
  readonly code: ErrorCode;
  /** The caller's remaining quota, if the request was charged before it failed. */
  quota: readonly Quota[] = [];

  /** @param message sent to the client as it is, so it must not contain a key, token, host or path */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HoldfastError';
    this.code = code;
  }
}

/** Returns true if a request failed only because something is away or busy at the moment. A repeat may succeed. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof HoldfastError && (error.code === 'unavailable' || error.code === 'overloaded');

export class LimitError extends HoldfastError {
  readonly hit: LimitHit;
  /** True if nothing of the limit is left: the smallest request would be refused too. */
  readonly isUsedUp: boolean;

  constructor(message: string, hit: LimitHit, isUsedUp = false) {
    super('limited', message);
    this.hit = hit;
    this.isUsedUp = isUsedUp;
  }
}

/** Runs the rest of a request that has been charged. If that fails, the error carries the quota. */
export async function afterCharge<Result>(quota: readonly Quota[], rest: () => Promise<Result>): Promise<Result> {
  try {
    return await rest();
  } catch (error) {
    if (error instanceof HoldfastError) error.quota = quota;
    throw error;
  }
}

/** Each `limitType` of events and errors, with the column of the tier table that holds its limit. */
export const LIMITED_BY = {
  OperationsPerMinute: 'writesPerMinute',
  ReadsPerMinute: 'readsPerMinute',
  OperationsPerDay: 'writesPerDay',
  ConcurrentReservations: 'reservations',
  Bookings: 'bookings',
  EventConnections: 'eventConnections',
  ApiKeys: 'apiKeys',
  Notices: 'notices',
  ResourceDefinitions: 'definitions',
  StoredBytes: 'bytes',
} as const satisfies Record<string, keyof TierLimits>;

export type LimitType = keyof typeof LIMITED_BY;

/** A request that exceeds a limit of its tenant's tier. */
export interface Misfit {
  readonly limitType: LimitType;
  readonly limit: number;
  readonly tier: Tier;
  /** Part of the limit that the request would have taken. */
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
