/**
 * The values of event fields (docs/specification.md#events). lua/lib/publish.lua builds events.
 */
export const EVENT_TYPES = [
  'RESERVED',
  'UNRESERVED',
  'RESERVATION_EXPIRED',
  'RESERVE_FAILED',
  'UNRESERVE_FAILED',
  'TRANSACTION_APPLIED',
  'TRANSACTION_ROLLED_BACK',
  'RESET',
  'TIER_LIMIT_REACHED',
] as const;

export const REQUEST_TYPES = ['RESERVE', 'UNRESERVE', 'TRANSACTION', 'EXPIRE', 'RESET', 'READ', 'CONNECT'] as const;
