/**
 * Reservations as callers see them: what they ask for and what they are told (docs/specification.md#resources, #errors,
 * #operations). Times are ISO 8601 UTC strings.
 */
export const RESERVE_STATUSES = ['ACQUIRED', 'ALREADY_HAD', 'ALREADY_HELD', 'NOT_AVAILABLE', 'NOT_VALID'] as const;
export type ReserveStatus = (typeof RESERVE_STATUSES)[number];

export const UNRESERVE_STATUSES = ['RELINQUISHED', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;
export type UnreserveStatus = (typeof UNRESERVE_STATUSES)[number];

/** The `explanation` of an item whose release token is wrong or missing (docs/specification.md#events). */
export const INVALID_RELEASE_TOKEN = 'INVALID_RELEASE_TOKEN';

export interface ReserveItem {
  readonly resource: string;
  readonly requester: string;
  /** Absent: never expires. */
  readonly ttlSeconds?: number | undefined;
  readonly resourceType?: string | undefined;
}

export interface ReserveResult {
  resource: string;
  requester: string;
  status: ReserveStatus;
  explanation: string;
  releaseToken: string | null;
  expiresAt: string | null;
  acquiredSlots: Record<string, string> | null;
  acquiredBlockers: string[] | null;
  reservedAtPath: string | null;
  fencingToken: number | null;
}

export interface UnreserveItem {
  readonly resource: string;
  readonly requester: string;
  readonly releaseToken?: string | null | undefined;
}

export interface UnreserveResult {
  resource: string;
  requester: string;
  status: UnreserveStatus;
  explanation: string;
  released: string[] | null;
}

export interface CheckItem {
  readonly resource: string;
  readonly requester?: string | undefined;
}

export interface CheckResult {
  resource: string;
  reserved: boolean;
  requester: string | null;
  heldByRequester: boolean | null;
  expiresAt: string | null;
}

export const RENEW_STATUSES = ['RENEWED', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;
export type RenewStatus = (typeof RENEW_STATUSES)[number];

export interface RenewItem extends UnreserveItem {
  readonly ttlSeconds: number;
}

export interface RenewResult {
  resource: string;
  requester: string;
  status: RenewStatus;
  explanation: string;
  expiresAt: string | null;
}

export const TRANSACTION_METHODS = ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE', 'FIRST'] as const;
export type TransactionMethod = (typeof TRANSACTION_METHODS)[number];

export const TRANSACTION_STATUSES = ['APPLIED', 'ROLLED_BACK'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export type TransactionItem =
  | ({ readonly requestType: 'RESERVE' } & ReserveItem)
  | ({ readonly requestType: 'UNRESERVE' } & UnreserveItem);

/**
 * In a transaction an item that was not kept is NOT_AVAILABLE, whatever it asked for
 * (docs/specification.md#operations).
 */
export type TransactionItemResult =
  | ReserveResult
  | UnreserveResult
  | (Omit<UnreserveResult, 'status'> & { status: 'NOT_AVAILABLE' });

export interface TransactionResult {
  method: TransactionMethod;
  status: TransactionStatus;
  results: TransactionItemResult[];
}

export interface ActiveReservation {
  resource: string;
  requester: string;
  resourceType: string;
  reservedAt: string;
  expiresAt: string | null;
  acquiredSlots: Record<string, string> | null;
  acquiredBlockers: string[] | null;
  reservedAtPath: string | null;
  fencingToken: number;
  apiKeyLabel: string | null;
}
