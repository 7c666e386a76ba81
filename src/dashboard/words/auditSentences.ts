/**
 * The audit trail in words: what an entry says, for people.
 */
import { z } from 'zod';
import type { Ending } from '../../domain/history.ts';
import type { Settings } from '../../domain/tenants.ts';
import { type AuditRow, Changed } from '../../store/audit.ts';
import { span } from '../assets/span.js';
import { NOTICE_WORDS } from './noticeWords.ts';

/** The sentence of each action. `{…}` stands for a detail of the entry. */
const SENTENCES: Readonly<Record<string, string>> = {
  'tenant.create': 'created the tenant',
  'tenant.suspend': 'suspended the tenant',
  'tenant.resume': 'ended the suspension of the tenant',
  'tenant.reset': 'released all reservations of the tenant ({count})',
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

/** The actions that a page offers to search for, and their sentences: `invited … as …`. */
export const ACTIONS: readonly (readonly [action: string, sentence: string])[] = Object.entries(SENTENCES).map(
  ([action, sentence]) => [action, sentence.replace(/ \(\{\w+\}\)/g, '').replace(/\{\w+\}/g, '…')],
);

/** The settings, as the sentence of a change says them. Those with Seconds in their names are times. */
const SETTINGS: Readonly<Record<keyof Settings, string>> = {
  requireRegistration: 'only registered resources may be reserved',
  requireNote: 'reservations must have a note',
  holdersReport: 'holders may take something out of service',
  defaultTtlSeconds: 'lease of reservations that ask for none',
  maxTtlSeconds: 'longest lease',
  endsSoonSeconds: 'end of a lease announced before it',
  maxBookingSeconds: 'longest booking',
  bookingsPerRequester: 'bookings of a requester',
  maxPriority: 'highest priority',
};

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

/** @returns what was done, and the details that this does not say, as `name: value` or `name: before → after` */
export function whatWasDone({ action, details }: Pick<AuditRow, 'action' | 'details'>): {
  readonly sentence: string;
  readonly rest: readonly string[];
} {
  const left = new Map(Object.entries(typeof details === 'object' && details !== null ? details : {}));
  const slots = sizesOf(left.get('slots'));
  left.delete('slots');
  const names = left.get('names');
  if (Array.isArray(names)) {
    const count = Number(left.get('count') ?? names.length);
    const shown = names.slice(0, MAX_NAMES).join(', ');
    left.set('names', count > MAX_NAMES ? `${shown} and ${count - MAX_NAMES} more` : shown);
    left.delete('count');
  }
  if (action.startsWith('key.') && left.get('label') === null) left.set('label', 'without a label');
  const isLink = Object.hasOwn(LINK_SENTENCES, action) && left.get('email') === null;
  if (isLink) left.delete('email');
  const condition = action === 'condition.set' ? String(left.get('condition')) : '';
  const isCondition = Object.hasOwn(CONDITION_SENTENCES, condition);
  if (isCondition) left.delete('condition');
  const sentences = isLink ? LINK_SENTENCES : isCondition ? CONDITION_SENTENCES : SENTENCES;
  const key = isCondition ? condition : action;
  const isResized = Array.isArray(names) && names.length > 0 && names.length === slots.length;
  const known = Object.hasOwn(sentences, key) ? sentences[key] : undefined;
  const pattern = isResized ? 'changed {names}' : known;
  const sentence = (pattern ?? action).replace(/ ?\(?\{(\w+)\}\)?/g, (part, name: string) => {
    const value = left.get(name);
    left.delete(name);
    return value === undefined || value === null ? '' : part.replace(`{${name}}`, textOf(value));
  });
  // Ids, and what something new has not, are noise: exports have them.
  const isNoise = ([name, value]: readonly [string, unknown]) =>
    IDS.includes(name) || (!action.endsWith('.change') && (value === null || textOf(value) === ''));
  const rest = [...left].filter((one) => !isNoise(one)).map(([name, value]) => detailText(name, value));
  if (action === 'notices.choose' && rest.length === 0) rest.push('nothing');
  return { sentence, rest: [...slots, ...rest] };
}

const IDS: readonly string[] = ['id', 'userId'];

/** The words for details whose names say too little. */
const DETAIL_WORDS: ReadonlyMap<string, string> = new Map([...Object.entries(NOTICE_WORDS), ['expiresAt', 'expires']]);

/** Sizes that were changed: `gpu: 2 → 3 slots`. */
const sizesOf = (slots: unknown): string[] =>
  Object.entries(z.record(z.string(), Changed).catch({}).parse(slots)).map(
    ([name, { from, to }]) => `${name}: ${textOf(from)} → ${textOf(to)} slots`,
  );

/** `name: value`; of a value that was changed `name: before → after`. */
function detailText(name: string, value: unknown): string {
  const { data: changed } = Changed.safeParse(value);
  if (changed === undefined) return `${DETAIL_WORDS.get(name) ?? name}: ${textOf(value)}`;
  const setting: string | undefined = Object.hasOwn(SETTINGS, name) ? Reflect.get(SETTINGS, name) : undefined;
  const text = (one: unknown) => settingText(name, one);
  return `${setting ?? name}: ${text(changed.from)} → ${text(changed.to)}`;
}

const settingText = (name: string, value: unknown): string => {
  if (value === null) return 'none';
  return typeof value === 'number' && name.endsWith('Seconds') ? span(value * 1000) : textOf(value);
};

const A_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z$/;

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value.replace(A_TIME, '$1 $2 UTC') : JSON.stringify(value);
}

/**
 * Words for how reservations and waits ended.
 */
export const ENDING_WORDS: Readonly<Record<Ending, string>> = {
  RELEASED: 'released',
  EXPIRED: 'expired',
  TAKEN_AWAY: 'taken away',
  SESSION_ENDED: 'ended with its session',
  RESET: 'released with everything',
  NOT_CLAIMED: 'never claimed',
  ELAPSED: 'waited in vain',
  CANCELLED: 'wait ended',
  NOT_VALID: 'no longer valid',
  OUT_OF_SERVICE: 'was out of service',
};

/** Says how something ended, and who did it. `in use` if it has not. */
export function howItEnded({
  ending,
  actor,
}: {
  readonly ending: Ending | null;
  readonly actor: string | null;
}): string {
  if (ending === null) return 'in use';
  return actor === null ? ENDING_WORDS[ending] : `${ENDING_WORDS[ending]} by ${whoDid(actor)}`;
}
