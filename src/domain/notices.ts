/**
 * Notices (docs/specification.md#notices): subscriptions of tenants, and personal notices of members.
 */
export const SUBSCRIPTION_KINDS = ['webhook', 'slack', 'email'] as const;
export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number];

/** Why the service disabled a subscription: three days of failures, or a 410. */
export const DISABLED_REASONS = ['FAILED', 'GONE'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The notices that members can choose for themselves. */
export const PERSONAL_NOTICES = ['TURN', 'BEGINS', 'ENDS_SOON', 'WANTED', 'TAKEN'] as const;
export type PersonalNotice = (typeof PERSONAL_NOTICES)[number];

/** The channels of these notices. */
export const CHANNELS = ['email', 'slack', 'push', 'browser'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Why nobody can choose e-mail, for people. */
export const NO_MAIL = 'This service sends no e-mail: that is not set up. Ask those who run it.';

/** Why nobody can choose push, for people. */
export const NO_PUSH = 'This service pushes nothing: that is not set up. Ask those who run it.';

/** In a subscription's types: all, also future ones. */
export const ALL_TYPES = '*';

/** The types of a subscription that names none. */
export const DEFAULT_TYPES = {
  webhook: ['RESERVED', 'UNRESERVED', 'RESERVATION_EXPIRED', 'TRANSACTION_APPLIED', 'RESET', 'ENDS_SOON', 'WANTED'],
  slack: ['ENDS_SOON', 'WANTED', 'RESET'],
  email: ['ENDS_SOON', 'WANTED', 'RESET'],
} as const satisfies Record<SubscriptionKind, readonly string[]>;

/** Where a subscription's events go. Kept encrypted. */
export type Target =
  | { readonly url: string }
  | { readonly channel: string }
  | { readonly addresses: readonly string[] };

/** A subscription whose target and secrets are decrypted. */
export interface OpenedSubscription {
  readonly id: string;
  readonly tenant: string;
  readonly kind: SubscriptionKind;
  readonly label: string;
  /** Types of events; `*`: all, also future ones */
  readonly types: readonly string[];
  /** The prefix of resources; '' all */
  readonly prefix: string;
  readonly target: Target;
  /** The secrets that sign, the current one first: `whsec_` and base64. Webhooks only */
  readonly secrets: readonly string[];
}

/** An attempt to deliver a batch. */
export interface Attempt {
  /** ms since 1970 UTC */
  readonly at: number;
  /** The `webhook-id` of the batch: the same in each of its attempts. */
  readonly webhookId: string;
  /** 1 for the first */
  readonly attempt: number;
  /** Number of events in the batch. 0: a test */
  readonly events: number;
  /** The HTTP or SMTP status; null: there was no response */
  readonly status: number | null;
  /** Why it failed; null: it succeeded */
  readonly fault: string | null;
  readonly durationMs: number;
}

/** The fields of a request that say where events go. */
export interface AskedTarget {
  readonly url?: string | undefined;
  readonly channel?: string | undefined;
  readonly addresses?: readonly string[] | undefined;
}

const TARGET_FIELDS = ['url', 'channel', 'addresses'] as const;
type TargetField = (typeof TARGET_FIELDS)[number];

const FIELDS_OF: Readonly<Record<SubscriptionKind, readonly TargetField[]>> = {
  webhook: ['url'],
  slack: ['url', 'channel'],
  email: ['addresses'],
};

/** @returns the field and the end of a sentence that starts with it; null: a subscription of this kind can be so */
export function targetFault(kind: SubscriptionKind, asked: AskedTarget): readonly [TargetField, string] | null {
  const given = TARGET_FIELDS.filter((field) => asked[field] !== undefined);
  const possible = FIELDS_OF[kind];
  const [wrong] = given.filter((field) => !possible.includes(field));
  if (wrong !== undefined) return [wrong, `is not a field of kind ${kind}`];
  return given.length > 1 ? ['channel', 'must be left out if there is a url'] : null;
}

/** Returns the target of a request; null: it has none */
export function targetOf({ url, channel, addresses }: AskedTarget): Target | null {
  if (url !== undefined) return { url };
  if (channel !== undefined) return { channel };
  return addresses === undefined ? null : { addresses };
}

/** The types of events that go into a tenant's outbox (docs/specification.md#outbox), as masks (eventTypes.ts). */
export interface WantedTypes {
  /** The types that its subscriptions want. */
  readonly types: number;
  /** Those that persons want, of requesters that begin with `person:`. */
  readonly personTypes: number;
}

/** The wanted types as scripts take them (lua/verbs/tenant.lua); '' if nothing is wanted. */
export const noticesText = (wanted: WantedTypes | null): string =>
  wanted === null || (wanted.types === 0 && wanted.personTypes === 0) ? '' : `${wanted.types} ${wanted.personTypes}`;
