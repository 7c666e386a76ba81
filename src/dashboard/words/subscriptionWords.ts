/**
 * Words for a tenant's subscriptions to its events (docs/specification.md#subscriptions).
 */
import { EVENT_TYPES } from '../../domain/eventTypes.ts';
import { ALL_TYPES, type SubscriptionKind } from '../../domain/notices.ts';
import type { ListedSubscription } from '../../operations/subscriptions.ts';
import { EVENT_WORDS } from './eventWords.ts';

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
