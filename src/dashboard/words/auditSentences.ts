/**
 * The audit trail in words: what an entry says, for people.
 */
import type { AuditRow } from '../../store/audit.ts';

/** The sentence of each action. `{…}` stands for a detail of the entry. */
const SENTENCES: Readonly<Record<string, string>> = {
  'tenant.create': 'created the tenant',
  'tenant.suspend': 'suspended the tenant',
  'tenant.resume': 'ended the suspension of the tenant',
  'tenant.reset': 'released all reservations ({count})',
  'tenant.delete': 'deleted the tenant',
  'tier.change': 'changed the tier to {tier}',
  'settings.change': 'changed the settings',
  'key.create': 'created the key {label}',
  'key.show': 'was shown the key {label}',
  'key.rotate': 'gave the key {label} a new value',
  'key.change': 'changed the key {label}',
  'key.delete': 'deleted the key {label}',
  'token.create': 'created the management token {label}',
  'token.delete': 'deleted the management token {label}',
  'wallboard.create': 'made the link of the wallboard {label}',
  'wallboard.delete': 'revoked the link of the wallboard {label}',
  'person.sign-in': 'signed in',
  'person.sign-out': 'signed out',
  'member.join': 'joined as {role}',
  'member.change': 'changed the role of {member} to {role}',
  'member.remove': 'removed the member {member}',
  'member.leave': 'left the tenant',
  'notice.create': 'subscribed {label} to events',
  'notice.change': 'changed the subscription {label}',
  'notice.rotate': 'gave the subscription {label} a new secret',
  'notice.delete': 'deleted the subscription {label}',
  'notice.disable': 'disabled the subscription {label} ({reason})',
  'notice.unsubscribe': 'unsubscribed from {label}',
  'notices.choose': 'chose what to be told',
  'invitation.create': 'invited {email} as {role}',
  'invitation.delete': 'revoked the invitation of {email}',
  'group.put': 'gave the group {group} the role {role}',
  'group.delete': 'took the role of the group {group} away',
  'issuer.put': 'registered the issuer {id} ({issuer})',
  'issuer.delete': 'removed the issuer {id} ({issuer})',
  'slack.put': 'registered the Slack app of the workspace {team}',
  'slack.delete': 'deleted the Slack app of the workspace {team}',
  'slack.link': 'linked the account {account} in Slack',
  'slack.unlink': 'unlinked the account {account} in Slack',
  'definitions.register': 'registered {names}',
  'definitions.delete': 'deleted {names}',
  'condition.set': 'set the condition of {resource} to {condition}',
  'reservations.reset': 'released all reservations ({count})',
  'reservation.take': 'took {resource} away from {requester}',
  'booking.cancel': 'cancelled a booking of {resource} by {requester}',
  'wait.cancel': 'ended the wait of {requester} for {resource}',
};

/** The sentences of invitations that are links: they have no address. */
const LINK_SENTENCES: Readonly<Record<string, string>> = {
  'invitation.create': 'created an invitation link for the role {role}',
  'invitation.delete': 'revoked an invitation link for the role {role}',
};

/** The sentences of conditions. */
const CONDITION_SENTENCES: Readonly<Record<string, string>> = {
  ready: 'brought {resource} back into service',
  dirty: 'marked {resource} as to be cleaned',
  out: 'took {resource} out of service',
};

/** The actions that a page offers to search for. */
export const ACTIONS: readonly string[] = Object.keys(SENTENCES);

/** Names that one sentence shows. */
const MAX_NAMES = 3;

/** Who did it: without the kind if it is a person. */
export const whoDid = (actor: string): string =>
  actor
    .replace(/^person:/, '')
    .replace(/^admin:(.*)/, 'the administrator $1')
    .replace(/^key:(.*)/, 'the key $1')
    .replace(/^token:(.*)/, 'the token $1')
    .replace(/^user:(.*)/, 'the user $1')
    .replace(/^key$/, 'a key without a label');

/** @returns what was done, and the details that this does not say, as `name: value` */
export function whatWasDone({ action, details }: Pick<AuditRow, 'action' | 'details'>): {
  readonly sentence: string;
  readonly rest: readonly string[];
} {
  const left = new Map(Object.entries(typeof details === 'object' && details !== null ? details : {}));
  const names = left.get('names');
  if (Array.isArray(names)) {
    const count = Number(left.get('count') ?? names.length);
    const shown = names.slice(0, MAX_NAMES).join(', ');
    left.set('names', count > MAX_NAMES ? `${shown} and ${count - MAX_NAMES} more` : shown);
    left.delete('count');
  }
  const isLink = Object.hasOwn(LINK_SENTENCES, action) && left.get('email') === null;
  if (isLink) left.delete('email');
  const condition = action === 'condition.set' ? String(left.get('condition')) : '';
  const isCondition = Object.hasOwn(CONDITION_SENTENCES, condition);
  if (isCondition) left.delete('condition');
  const sentences = isLink ? LINK_SENTENCES : isCondition ? CONDITION_SENTENCES : SENTENCES;
  const key = isCondition ? condition : action;
  const pattern = Object.hasOwn(sentences, key) ? sentences[key] : undefined;
  const sentence = (pattern ?? action).replace(/ ?\(?\{(\w+)\}\)?/g, (part, name: string) => {
    const value = left.get(name);
    left.delete(name);
    return value === undefined || value === null ? '' : part.replace(`{${name}}`, textOf(value));
  });
  return { sentence, rest: [...left].map(([name, value]) => `${name}: ${textOf(value)}`) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
