/**
 * Words of notices: types of events (docs/specification.md#event-types), a tenant's subscriptions
 * (docs/specification.md#subscriptions), and what people are told (docs/specification.md#personal-notices).
 */
import { EVENT_TYPES, type EventType } from '../../domain/eventTypes.ts';
import { ALL_TYPES, type Channel, type PersonalNotice, type SubscriptionKind } from '../../domain/notices.ts';
import type { ListedSubscription } from '../../operations/subscriptions.ts';

/** The words of pages for types of events (docs/specification.md#event-types). */
export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  RESERVED: 'Reserved',
  RENEWED: 'Extended',
  UNRESERVED: 'Released',
  RESERVATION_EXPIRED: 'Lease ended',
  RESERVE_FAILED: 'Reserve failed',
  UNRESERVE_FAILED: 'Release failed',
  TRANSACTION_APPLIED: 'Several changed at once',
  TRANSACTION_ROLLED_BACK: 'Several not changed',
  WAITING: 'Joined the queue',
  WAIT_ENDED: 'Wait ended',
  RESET: 'Everything released',
  CONDITION: 'Condition changed',
  TIER_LIMIT_REACHED: 'Limit reached',
  ENDS_SOON: 'Ends soon',
  WANTED: 'Somebody waits for it',
  BOOKED: 'Booked',
  BOOKING_CHANGED: 'Booking changed',
  BOOKING_CANCELLED: 'Booking cancelled',
  BOOKING_DELAYED: 'Booking delayed',
};

export const KIND_WORDS: Readonly<Record<SubscriptionKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  email: 'E-mail',
};

export const typesText = (types: readonly string[]): string =>
  types.includes(ALL_TYPES)
    ? 'All'
    : EVENT_TYPES.filter((type) => types.includes(type))
        .map((type) => EVENT_WORDS[type])
        .join(', ');

/** Where it sends: a host, a channel, or addresses. */
export const placeText = ({ host, channel, addresses }: ListedSubscription): string =>
  channel ?? addresses?.join(', ') ?? host ?? '';

const STOPPED: Readonly<Record<NonNullable<ListedSubscription['stoppedBy']>, string>> = {
  FAILED: 'Nothing arrived for three days, so it was disabled. What happened meanwhile is lost.',
  GONE: 'Its receiver answered that it is gone (410), so it was disabled.',
  LIMIT: 'Nothing is sent: the tier of the tenant allows fewer, and this is one of the newest.',
  UNREADABLE:
    'Nothing is sent: the secret of the service has changed. Save its address again; a webhook also needs a new secret.',
};

/** Why the service sends nothing to it; null: the service has not stopped it. */
export const stoppedText = ({ stoppedBy }: ListedSubscription): string | null =>
  stoppedBy === null ? null : STOPPED[stoppedBy];

/** Its state in a word. */
export function stateText({ enabled, stoppedBy }: ListedSubscription): string {
  if (stoppedBy === 'LIMIT' || stoppedBy === 'UNREADABLE') return 'Stopped';
  return enabled ? 'On' : stoppedBy === null ? 'Off' : 'Disabled';
}

/** What a person is told, in their words. */
export const NOTICE_WORDS: Readonly<Record<PersonalNotice, string>> = {
  TURN: 'It is my turn',
  BEGINS: 'What I booked begins, is delayed, or goes out of service',
  ENDS_SOON: 'My time ends soon',
  WANTED: 'Somebody waits for what I have',
  TAKEN: 'Something is taken away from me, or my booking of it',
};

export const CHANNEL_WORDS: Readonly<Record<Channel, string>> = {
  email: 'E-mail',
  slack: 'Slack',
  push: 'Push',
  browser: 'This browser',
};
