/**
 * Notices (docs/specification.md#notices): what a tenant subscribes to, and what people want to be told.
 */
export const SUBSCRIPTION_KINDS = ['webhook', 'slack', 'email'] as const;
export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number];

/** Why the service disabled a subscription: three days of failures, or a 410. */
export const DISABLED_REASONS = ['FAILED', 'GONE'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** What people can be told. */
export const PERSONAL_NOTICES = ['TURN', 'ENDS_SOON', 'WANTED', 'TAKEN'] as const;
export type PersonalNotice = (typeof PERSONAL_NOTICES)[number];

/** Where people can be told it. */
export const CHANNELS = ['email', 'slack', 'browser'] as const;
export type Channel = (typeof CHANNELS)[number];

/** In a subscription's types: all, also future ones. */
export const ALL_TYPES = '*';

/** The types of a subscription that names none. */
export const DEFAULT_TYPES = {
  webhook: ['RESERVED', 'UNRESERVED', 'RESERVATION_EXPIRED', 'TRANSACTION_APPLIED', 'RESET', 'ENDS_SOON', 'WANTED'],
  slack: ['ENDS_SOON', 'WANTED', 'RESET'],
  email: ['ENDS_SOON', 'WANTED', 'RESET'],
} as const satisfies Record<SubscriptionKind, readonly string[]>;
