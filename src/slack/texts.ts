/**
 * Texts about resources, for Slack. Whatever callers choose is escaped and cut: a block has room for 3,000 characters.
 */
import type { ActiveReservation, ReserveResult } from '../contract/reservations.ts';
import { type ErrorCode, HoldfastError, LimitError } from '../domain/errors.ts';
import { PERSON_PREFIX } from '../domain/names.ts';
import { escapeSlack, slackTime } from '../domain/slackText.ts';
import { type Hold, holderText } from '../engine/reservations/holders.ts';
import type { ResourceState } from '../engine/reservations/states.ts';
import { refusalText } from '../operations/refusalText.ts';

const NAME_LENGTH = 60;
const NOTE_LENGTH = 100;
/** Of what is wrong, which may say again what the person has typed. */
const FAULT_LENGTH = 500;

export const nameText = (name: string): string => `*${escapeSlack(name, NAME_LENGTH)}*`;

export const whoText = (requester: string): string =>
  escapeSlack(requester.startsWith(PERSON_PREFIX) ? requester.slice(PERSON_PREFIX.length) : requester, NAME_LENGTH);

const noteText = (note: string | undefined): string => (note ? ` (${escapeSlack(note, NOTE_LENGTH)})` : '');

/** @param iso null: it has no end */
export const untilText = (iso: string | null): string => (iso === null ? 'without an end' : `until ${slackTime(iso)}`);

/** `2nd` */
function ordinal(place: number): string {
  const isTeen = place % 100 > 10 && place % 100 < 14;
  return `${place}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th')}`;
}

export const placeText = (ahead: number): string => `You are ${ordinal(ahead + 1)} in the queue.`;

/** Says why something could not be reserved. */
export function notReservedText(result: ReserveResult): string {
  const { resource, heldBy, status, explanation } = result;
  const shown = {
    status,
    resource: escapeSlack(resource, NAME_LENGTH),
    explanation: escapeSlack(explanation, 4 * NAME_LENGTH),
    ...(heldBy && {
      heldBy: {
        ...heldBy,
        resource: escapeSlack(heldBy.resource, NAME_LENGTH),
        requester: heldBy.requester === null ? null : whoText(heldBy.requester),
      },
    }),
  };
  return refusalText(shown, 0, slackTime);
}

/** What somebody holds: `*staging* until 17:00 (release 1.4)`. */
export const heldText = ({ resource, expiresAt, note }: ActiveReservation): string =>
  `${nameText(resource)} ${untilText(expiresAt)}${noteText(note)}`;

function holdText(hold: Hold): string {
  const { until, note, isUnclaimed, kind } = hold;
  const who = whoText(holderText(hold));
  if (isUnclaimed) return `kept for ${who}, who can take it ${untilText(until)}`;
  return kind === 'own' ? `${who} ${untilText(until)}${noteText(note)}` : who;
}

const CONDITIONS = { out: 'is out of service', dirty: 'needs cleaning' } as const;
/** Slots and names that one text shows. */
const SHOWN = 8;

/** Says whether a resource is free, who holds it, and who waits. */
export function stateText(state: ResourceState): string {
  const { capacity, free, slots, waiting, queue, notReady } = state;
  const name = nameText(state.name);
  const held = slots.flatMap(({ slot, hold }) => (hold === null ? [] : [{ slot, hold }]));
  const [only] = held;
  const lines = [
    capacity === null
      ? `${name} is a group, which nobody reserves.`
      : capacity === 1 && only !== undefined
        ? `${name}: ${holdText(only.hold)}.`
        : `${name}${capacity === 1 ? '' : `: ${free} of ${capacity}`} ${free > 0 ? 'free' : 'in use'}.`,
    ...(capacity === 1 ? [] : held.slice(0, SHOWN).map(({ slot, hold }) => `• ${nameText(slot)}: ${holdText(hold)}`)),
    ...notReady
      .slice(0, SHOWN)
      .map(({ slot, condition, reason }) => `• ${nameText(slot)} ${CONDITIONS[condition]}${noteText(reason)}`),
    ...inTheWay(state),
  ];
  const waiters = queue.slice(0, SHOWN).map(({ requester }) => whoText(requester));
  if (waiting > 0) lines.push(`${waiting} waiting: ${waiters.join(', ')}${waiting > waiters.length ? ', …' : ''}.`);
  return lines.join('\n');
}

function inTheWay({ fullAncestor, blockedBy }: ResourceState): string[] {
  if (fullAncestor !== null) return [`${nameText(fullAncestor)}, to which it belongs, is in use.`];
  return blockedBy === null ? [] : [`${nameText(blockedBy.name)}, which it needs too, is in use.`];
}

const AWAY = 'This could not be done just now, or its result is not known. `/holdfast mine` shows what you have.';

const ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthenticated: 'You are no member of this tenant any more.',
  unavailable: AWAY,
  overloaded: AWAY,
};

/** The place of the only item in a message of the API. */
const FIELD = /^\[0\]\.(?:\w+: )?/;

/** Says why a command failed; null: by a fault of the service */
export function errorText(error: unknown): string | null {
  if (!(error instanceof HoldfastError)) return null;
  if (error instanceof LimitError) return `${escapeSlack(error.message)} Try again in ${error.hit.retryAfter} s.`;
  if (error.code === 'forbidden' && error.message.includes('needs the right'))
    return 'Your role in this tenant does not allow this.';
  const text = error.message.replace(FIELD, '');
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;
  return ERRORS[error.code] ?? escapeSlack(sentence, FAULT_LENGTH);
}

export const HELP = [
  '`/holdfast reserve staging 2h release 1.4` reserves, or joins the queue. The time and the note are optional.',
  '`/holdfast release staging` releases it, or leaves the queue.',
  '`/holdfast extend staging 1h` ends it an hour later.',
  '`/holdfast who staging` shows who has it and who waits.',
  '`/holdfast mine` shows what you have and wait for.',
  '`/holdfast link` ties your account in Slack to you.',
  'Names with spaces need quotes. Times are `30m`, `2h`, `1h30m` or `1d`.',
].join('\n');
