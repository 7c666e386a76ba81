/**
 * The ways a request can fail as a whole. `code` is stable; http/errors.ts gives each its status.
 */
export type ErrorCode =
  | 'unauthenticated'
  | 'forbidden'
  | 'upgrade'
  | 'refused'
  | 'unregistered'
  | 'unknown'
  | 'limited'
  | 'unavailable';

/** Which limit was hit (interface, "Errors"). */
export interface LimitHit {
  readonly limitType: string;
  readonly limit: number;
  /** null: of no tenant's */
  readonly tier: string | null;
  /** Seconds to wait. */
  readonly retryAfter: number;
  readonly upgradeRequired: boolean;
}

export class HoldfastError extends Error {
  readonly code: ErrorCode;

  /** @param message goes to the client as it is, so it names no key, token, host or path. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HoldfastError';
    this.code = code;
  }
}

export class LimitError extends HoldfastError {
  readonly hit: LimitHit;
  /** Whether nothing of the limit is left, so that the smallest request would be refused too. */
  readonly isUsedUp: boolean;

  constructor(message: string, hit: LimitHit, isUsedUp = false) {
    super('limited', message);
    this.hit = hit;
    this.isUsedUp = isUsedUp;
  }
}
