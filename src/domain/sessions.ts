/**
 * The bounds and statuses of sessions (docs/specification.md#sessions).
 */
export const MIN_SESSION_SECONDS = 5;
export const MAX_SESSION_SECONDS = 86_400;

export const RENEW_SESSION_STATUSES = ['RENEWED', 'NOT_FOUND'] as const;
export const END_SESSION_STATUSES = ['ENDED', 'NOT_FOUND'] as const;
