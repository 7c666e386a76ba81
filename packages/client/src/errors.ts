/** The one error class of the client. Rely on `code`: messages may change. */
import type { components } from './generated.ts';

/** Who holds the resource, since when, until when and why. */
export type HeldBy = NonNullable<Schemas['ReserveResult']['heldBy']>;

type Schemas = components['schemas'];

/**
 * The codes that this version of the client knows: TypeScript refuses a misspelt one. A later service may send others.
 * Compare those as text: `String(error.code) === 'NEW_CODE'`.
 * - an item's status: `ALREADY_HELD`, `NOT_AVAILABLE`, `NOT_VALID`, `NOT_RESERVED`, `DOESNT_OWN_RESERVATION`
 * - a code of the service: `UNAUTHENTICATED`, `FORBIDDEN`, `LIMIT_REACHED`, `UNAVAILABLE` and so on
 *   (docs/specification.md#errors)
 * - of the client: `ALREADY_HAD` (another hold of this client has it), `LEASE_LOST`, `INVALID_OPTION`,
 *   `UNREACHABLE` (no response after all retries), `UNEXPECTED_RESPONSE`
 */
export type ErrorCode =
  | Exclude<Schemas['ReserveResult']['status'], 'ACQUIRED' | 'WAITING'>
  | Exclude<Schemas['UnreserveResult']['status'], 'RELINQUISHED'>
  | Schemas['FailureCode']
  | 'LEASE_LOST'
  | 'INVALID_OPTION'
  | 'UNREACHABLE'
  | 'UNEXPECTED_RESPONSE';

export interface ErrorDetails {
  /** HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** Who holds the resource, if the service said so. */
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
  declare readonly status: number | undefined;
  declare readonly heldBy: HeldBy | undefined;
  declare readonly limitType: string | undefined;
  declare readonly retryAfterMs: number | undefined;
  declare readonly requestId: string | undefined;

  /** @param code a service may send one that this version does not know */
  constructor(code: string, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code as ErrorCode;
    Object.assign(this, details);
  }
}

/** The caller asked for something that makes no sense. */
export const invalid = (message: string, cause?: unknown): HoldfastError =>
  new HoldfastError('INVALID_OPTION', message, { cause });

/** The response is that of a proxy, or of another service. */
export const unexpected = (code = 'UNEXPECTED_RESPONSE', details: ErrorDetails = {}): HoldfastError =>
  new HoldfastError(code, 'Unexpected response: is this Holdfast?', details);

/** Says who has it, behind the message of a refusal: `: ann has printer (nightly)`. Empty if the service does not. */
export const holderIn = (heldBy: HeldBy | undefined): string => {
  if (heldBy === undefined) return '';
  const { requester, resource, note } = heldBy;
  return `: ${requester ?? 'somebody'} has ${resource}${note === null ? '' : ` (${note})`}`;
};

/** Why something was not booked: `CONFLICT: booked by ann from 2026-… until 2026-…`, in UTC. */
export function whyNotBooked({
  explanation,
  conflict,
}: Pick<Schemas['BookedItem'], 'explanation' | 'conflict'>): string {
  if (conflict === undefined) return explanation;
  const { kind, requester, from, until } = conflict;
  const what = kind === 'BOOKING' ? 'booked' : 'held';
  return `CONFLICT: ${what} by ${requester ?? 'several'} from ${from} ${until === null ? 'on' : `until ${until}`}`;
}

/**
 * Refuses misspelt options. In TypeScript the compiler finds them; JavaScript needs this.
 * @param given options; those that a call knows may have been taken out
 * @param known the names of those that it knows
 * @throws HoldfastError INVALID_OPTION
 */
export function refuseUnknown(given: object, ...known: readonly string[]): void {
  const name = Object.keys(given).find((key) => !known.includes(key));
  if (name !== undefined) throw invalid(`${name} is not a known option`);
}
