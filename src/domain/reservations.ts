/**
 * The statuses of operations on reservations (docs/specification.md#item-statuses). src/contract/reservations.ts
 * has the requests and results.
 */
export const RESERVE_STATUSES = [
  'ACQUIRED',
  'ALREADY_HAD',
  'WAITING',
  'ALREADY_HELD',
  'NOT_AVAILABLE',
  'NOT_VALID',
] as const;

export const UNRESERVE_STATUSES = ['RELINQUISHED', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;

export const CANCEL_STATUSES = ['CANCELLED', 'NOT_WAITING'] as const;

export const RENEW_STATUSES = ['RENEWED', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;

/** The `explanation` of an item whose release token is wrong or missing (docs/specification.md#item-statuses). */
export const INVALID_RELEASE_TOKEN = 'INVALID_RELEASE_TOKEN';

export const TRANSACTION_METHODS = ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE', 'FIRST'] as const;
export type TransactionMethod = (typeof TRANSACTION_METHODS)[number];

export const TRANSACTION_STATUSES = ['APPLIED', 'WAITING', 'ROLLED_BACK'] as const;

/** What is in the way of a reserve (docs/specification.md#who-is-in-the-way). */
export const REASONS = ['SLOTS', 'ANCESTOR', 'BLOCKER', 'QUEUE'] as const;

/** How a reservation holds its resource: alone, or together with others (docs/specification.md#shared-holds). */
export const MODES = ['EXCLUSIVE', 'SHARED'] as const;
export type Mode = (typeof MODES)[number];
