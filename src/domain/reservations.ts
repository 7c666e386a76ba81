/**
 * Reservations as callers see them: what they ask for and what they are told (interface, "Resources and their
 * fields" and "Errors"; decisions, section 6). Times are ISO 8601 UTC strings.
 */
export const RESERVE_STATUSES = ['ACQUIRED', 'ALREADY_HAD', 'ALREADY_HELD', 'NOT_AVAILABLE', 'NOT_VALID'] as const;
export type ReserveStatus = (typeof RESERVE_STATUSES)[number];

export const UNRESERVE_STATUSES = ['RELINQUISHED', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;
export type UnreserveStatus = (typeof UNRESERVE_STATUSES)[number];

/** The `explanation` of an item whose release token is wrong or missing (decisions, section 7). */
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
