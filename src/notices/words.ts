/**
 * Events in words, for messages to people (docs/specification.md#slack). Callers choose the names and notes in
 * them, so a style says how texts of theirs are written.
 */
import type { Event } from '../contract/events.ts';
import { escapeSlack, slackTime } from '../domain/slackText.ts';
import type { Gap, Happened, NoticeEvent } from './sending.ts';

/** How a message writes what others have chosen. */
export interface Style {
  /** Writes a name or a note. */
  text(chosen: string): string;
  /** Writes a time. @param iso ISO 8601 */
  time(iso: string): string;
  /** True if messages show notes. */
  readonly hasNotes: boolean;
}

/** Maximum number of code points of a name or a note in a message. */
const MAX_TEXT = 120;

/** Control and format characters, such as those that turn the direction of writing, and separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const shorten = (text: string): string => {
  const visible = text.replace(INVISIBLE, '');
  if (visible.length <= MAX_TEXT) return visible;
  const points = [...visible];
  return points.length > MAX_TEXT ? `${points.slice(0, MAX_TEXT - 1).join('')}…` : visible;
};

/** Plain text, of e-mail. Mail programs make links of addresses, so those in names are taken apart. */
export const PLAIN: Style = {
  text: (chosen) => shorten(chosen).replaceAll('://', ': //'),
  time: (iso) => `${iso.slice(0, 16).replace('T', ' ')} UTC`,
  hasNotes: false,
};

/** Slack's mrkdwn. */
export const MRKDWN: Style = {
  text: (chosen) => escapeSlack(shorten(chosen)),
  time: slackTime,
  hasNotes: true,
};

/** A requester or an actor as people call them. */
export const whoIs = ({ text }: Style, requester: string): string => text(requester.replace(/^(?:person|admin):/, ''));

/** Names that the sentence of a transaction shows. */
const MAX_NAMES = 3;

/** An event, also of a type that is added later. */
type Told = Omit<Event, 'type'> & { readonly type: string };

type Sentence = (event: Told, style: Style) => string;

const what = ({ resource }: Told, { text }: Style): string => text(resource ?? 'a match');
const who = ({ requester }: Told, style: Style): string => whoIs(style, requester ?? 'somebody');
const until = (iso: string | null, { time }: Style): string => (iso === null ? '' : ` until ${time(iso)}`);
const note = ({ note: said }: Told, { text, hasNotes }: Style): string =>
  said === undefined || !hasNotes ? '' : `: ${text(said)}`;

/** The end of a sentence that says what several items have changed. */
function names({ changes }: Told, { text }: Style): string {
  const resources = [...new Set((changes ?? []).map(({ resource }) => resource))];
  const shown = resources.slice(0, MAX_NAMES).map(text).join(', ');
  return resources.length > MAX_NAMES ? `${shown} and ${resources.length - MAX_NAMES} more` : shown;
}

const reserved: Sentence = (event, style) =>
  event.claimBy
    ? `${what(event, style)} is kept for ${who(event, style)}, who can take it${until(event.claimBy, style)}`
    : `${who(event, style)} reserved ${what(event, style)}${until(event.expiresAt, style)}${note(event, style)}`;

/** `, from … to …`, of a booking */
const span = ({ start, end }: Told, { time }: Style): string =>
  start === undefined || end === undefined ? '' : ` from ${time(start)} to ${time(end)}`;

const byOther = ({ actor, requester }: Told, style: Style): string =>
  actor === null || whoIs(style, actor) === whoIs(style, requester ?? '') ? '' : `, by ${whoIs(style, actor)}`;

const released: Sentence = (event, style) => {
  const { actor, requester } = event;
  if (actor === null || actor === requester) return `${who(event, style)} released ${what(event, style)}`;
  return `${whoIs(style, actor)} released ${what(event, style)}, which ${who(event, style)} held`;
};

const CONDITIONS: Readonly<Record<string, string>> = {
  ready: 'is ready',
  dirty: 'has to be cleaned',
  out: 'is out of service',
};

const SENTENCES: Readonly<Record<string, Sentence>> = {
  RESERVED: reserved,
  RENEWED: (event, style) => `${who(event, style)} extended ${what(event, style)}${until(event.expiresAt, style)}`,
  UNRESERVED: released,
  RESERVATION_EXPIRED: (event, style) => `The reservation of ${what(event, style)} by ${who(event, style)} has expired`,
  ENDS_SOON: (event, style) =>
    `The reservation of ${what(event, style)} by ${who(event, style)} ends soon: ${
      event.expiresAt === null ? 'nobody knows when' : style.time(event.expiresAt)
    }`,
  WANTED: (event, style) =>
    `${waitingText(event.waiting)} for ${what(event, style)}, which ${who(event, style)} holds${until(event.expiresAt, style)}`,
  RESERVE_FAILED: (event, style) => `${who(event, style)} could not reserve ${what(event, style)}`,
  UNRESERVE_FAILED: (event, style) => `${who(event, style)} could not release ${what(event, style)}`,
  TRANSACTION_APPLIED: (event, style) => `A transaction changed ${names(event, style)}`,
  TRANSACTION_ROLLED_BACK: (event, style) => `A transaction failed: ${names(event, style)}`,
  WAITING: (event, style) =>
    event.changes === null
      ? `${who(event, style)} waits for ${what(event, style)}`
      : `A transaction waits for ${names(event, style)}`,
  WAIT_ENDED: (event, style) =>
    event.changes === null
      ? `${who(event, style)} does not wait for ${what(event, style)} any more`
      : `A transaction does not wait for ${names(event, style)} any more`,
  RESET: ({ actor }, style) => `All reservations have ended${actor === null ? '' : `, by ${whoIs(style, actor)}`}`,
  CONDITION: (event, style) => {
    const { explanation, reason } = event;
    const said = reason && style.hasNotes ? `: ${style.text(reason)}` : '';
    return `${what(event, style)} ${CONDITIONS[explanation ?? ''] ?? 'has another condition'}${said}`;
  },
  BOOKED: (event, style) =>
    `${who(event, style)} booked ${what(event, style)}${span(event, style)}${byOther(event, style)}${note(event, style)}`,
  BOOKING_CHANGED: (event, style) =>
    `The booking of ${what(event, style)} by ${who(event, style)} is${span(event, style)} now${byOther(event, style)}`,
  BOOKING_CANCELLED: (event, style) =>
    `The booking of ${what(event, style)} by ${who(event, style)}${span(event, style)} is cancelled${byOther(event, style)}`,
  BOOKING_DELAYED: (event, style) =>
    `${who(event, style)} booked ${what(event, style)}${span(event, style)}, and it is not free yet`,
  TIER_LIMIT_REACHED: ({ limitType, limit }) => `The limit ${limitType ?? ''} of the tier is reached (${limit ?? 0})`,
};

/** Says how many wait, as the beginning of a sentence. */
export const waitingText = (waiting: number | undefined): string =>
  waiting === undefined || waiting === 1 ? 'Somebody waits' : `${waiting} requests wait`;

/** Returns a sentence, without the full stop, that says what happened. */
export function sentenceOf(event: NoticeEvent, style: Style): string {
  if (isGap(event)) return event.missed === null ? 'Some events are missing' : `${event.missed} events are missing`;
  if (event.type === 'TEST') return 'This is a test';
  const told: Told = event;
  return SENTENCES[told.type]?.(told, style) ?? told.type;
}

const isGap = (event: NoticeEvent): event is Gap => event.type === 'GAP';

/** The title of a message about several events. */
export function titleOf(events: readonly NoticeEvent[]): string {
  const changes = events.filter((event): event is Happened => event.type !== 'GAP').length;
  return changes === 1 ? '1 change' : `${changes} changes`;
}
