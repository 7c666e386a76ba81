/** The one error class of the client. Rely on `code`: messages may change. */
import type { components } from './generated.ts';

/** Who holds what was asked for, since when, until when and why. */
export type HeldBy = NonNullable<components['schemas']['ReserveResult']['heldBy']>;

/**
 * - an item's status: `ALREADY_HELD`, `NOT_AVAILABLE`, `NOT_VALID`, `NOT_RESERVED`, `DOESNT_OWN_RESERVATION`
 * - a code of the service: `UNAUTHENTICATED`, `FORBIDDEN`, `LIMIT_REACHED`, `UNAVAILABLE` and so on
 *   (docs/specification.md#errors)
 * - of the client: `ALREADY_HAD` (another hold of this client has it), `LEASE_LOST`, `INVALID_OPTION`,
 *   `UNREACHABLE` (no response after all retries), `UNEXPECTED_RESPONSE`
 */
export type ErrorCode = string;

export interface ErrorDetails {
  /** HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** Who holds what was asked for, if the service said so. */
  readonly heldBy?: HeldBy | undefined;
  /** Which limit, with LIMIT_REACHED: `OperationsPerMinute`, `ConcurrentReservations` and so on. */
  readonly limitType?: string | undefined;
  /** When to try again, in ms, if the service said so. */
  readonly retryAfterMs?: number | undefined;
  /** `X-Request-Id` of the response: the log of the service has it too. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly heldBy: HeldBy | undefined;
  readonly limitType: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.heldBy = details.heldBy;
    this.limitType = details.limitType;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
  }
}
