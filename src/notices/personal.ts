/**
 * Personal notices: which events become one, and what it says (docs/specification.md#personal-notices).
 */
import { z } from 'zod';
import { PERSON_PREFIX } from '../domain/names.ts';
import { PERSONAL_NOTICES, type PersonalNotice } from '../domain/notices.ts';
import { noticePath } from '../domain/personalNotices.ts';
import type { Message } from './mail/mailer.ts';
import type { Happened, NoticeEvent } from './sending.ts';
import { type Style, waitingText, whoIs } from './words.ts';

/** Time for which a notice is tried. */
const TRIED_MS = 10 * 60_000;

/** A notice for the person of a requester, who may not have chosen it: that is looked up later. */
export const Notice = z.object({
  notice: z.enum(PERSONAL_NOTICES),
  tenant: z.string(),
  /** The id of the event. */
  id: z.string(),
  requester: z.string(),
  resource: z.string(),
  /** The label of the key that reserved or released; null: none, or it has no label */
  keyLabel: z.string().nullable(),
  /** Who took it away; null: it was not taken away */
  actor: z.string().nullable(),
  /** When the reservation ends, in ISO 8601; null: never */
  expiresAt: z.string().nullable(),
  /** Until when it can be taken; null: it need not be taken */
  claimBy: z.string().nullable(),
  waiting: z.int(),
  /** The times of the booking that it is about, in ISO 8601; null: it is about none, or that has begun */
  booked: z.object({ start: z.string(), end: z.string() }).nullable(),
  /** The condition that what is booked has got, and why; null: it is not about that */
  condition: z.object({ isOut: z.boolean(), reason: z.string().nullable() }).nullable(),
  /** It is not sent after this time, in ms since 1970 UTC */
  untilMs: z.number(),
});
export type Notice = z.infer<typeof Notice>;

/** Makes the notices of an event: for its requester, or for those who have booked what it is about. */
export function noticesOf(event: NoticeEvent): Notice[] {
  if (event.type === 'GAP' || event.type === 'TEST') return [];
  if (event.type !== 'CONDITION') return noticeOf(event, null);
  const condition = { isOut: event.explanation === 'out', reason: event.reason ?? null };
  const all = event.booked ?? [];
  // Of the bookings of one person, they are told of the first.
  const first = all.filter(({ requester }, i) => all.findIndex((one) => one.requester === requester) === i);
  return first.flatMap((one) => noticeOf({ ...event, ...one }, condition));
}

/** @param condition that what is booked has got; null: the event is of something else */
function noticeOf(event: Happened, condition: Notice['condition']): Notice[] {
  const { id, tenantId: tenant, requester, resource, apiKeyLabel: keyLabel, actor, expiresAt } = event;
  const { claimBy = null, waiting = 1, start, end } = event;
  const booked = start === undefined || end === undefined ? null : { start, end };
  const notice = kindOf(event);
  if (notice === null || resource === null || !requester?.startsWith(PERSON_PREFIX)) return [];
  const ends = [claimBy, notice === 'TAKEN' ? null : expiresAt].flatMap((iso) => (iso === null ? [] : Date.parse(iso)));
  const untilMs = Math.min(Date.parse(event.timestamp) + TRIED_MS, ...ends);
  const about = { keyLabel, actor, expiresAt, claimBy, waiting, booked, condition };
  return [{ notice, tenant, id, requester, resource, ...about, untilMs }];
}

function kindOf({ type, actor, requester, claimBy, booking, explanation }: Happened): PersonalNotice | null {
  switch (type) {
    case 'RESERVED':
      if (claimBy !== undefined) return 'TURN';
      return booking === undefined ? null : 'BEGINS';
    case 'BOOKING_DELAYED':
    case 'CONDITION':
      return 'BEGINS';
    case 'UNRESERVED':
      return actor === null ? null : 'TAKEN';
    case 'BOOKING_CANCELLED':
      if (actor === null) return explanation === 'NOT_AVAILABLE' ? 'TAKEN' : null;
      return actor === requester ? null : 'TAKEN';
    default:
      return type === 'ENDS_SOON' || type === 'WANTED' ? type : null;
  }
}

interface Words {
  readonly title: string;
  readonly text: string;
  /** What the link of the message is for. */
  readonly label: string;
}

/**
 * Says a notice to its person.
 * @param isLast true if more messages of this hour are dropped
 */
export function wordsOf(notice: Notice, style: Style, isLast = false): Words {
  const words = plainWordsOf(notice, style);
  return isLast ? { ...words, text: `${words.text}. More messages of this hour are dropped` } : words;
}

function plainWordsOf(notice: Notice, style: Style): Words {
  const { text, time } = style;
  const { booked } = notice;
  const what = text(notice.resource);
  const by = whoIs(style, notice.actor ?? '');
  const key = notice.keyLabel === null ? '' : text(notice.keyLabel);
  const end = notice.expiresAt === null ? '' : time(notice.expiresAt);
  const byKey = key === '' ? '' : `, which the key "${key}" asked for in your name`;
  const heldByKey = key === '' ? '' : `, which the key "${key}" reserved in your name`;
  const words: Record<PersonalNotice, () => Words> = {
    TURN: () => ({
      title: `It is your turn: ${what}`,
      text: `It is your turn: you can take ${what}${byKey}, until ${time(notice.claimBy ?? '')}`,
      label: 'Take it or leave it',
    }),
    BEGINS: () => bookingWords(notice, what, style),
    ENDS_SOON: () => ({
      title: `Your reservation of ${what} ends soon`,
      text: `Your reservation of ${what}${heldByKey}, ends at ${end}`,
      label: 'Extend or release it',
    }),
    WANTED: () => ({
      title: `${waitingText(notice.waiting)} for ${what}`,
      text: `${waitingText(notice.waiting)} for ${what}${heldByKey || ', which you hold'}${end && `, until ${end}`}`,
      label: 'Release it',
    }),
    TAKEN: () =>
      booked === null
        ? {
            title: `${what} was taken away from you`,
            text: `${by} took ${what} away from you`,
            label: 'See it',
          }
        : {
            title: `Your booking of ${what} is cancelled`,
            text:
              by === ''
                ? `No slot is free for your booking of ${what}, from ${time(booked.start)} to ${time(booked.end)}`
                : `${by} cancelled your booking of ${what}, from ${time(booked.start)} to ${time(booked.end)}`,
            label: 'See it',
          },
  };
  return words[notice.notice]();
}

/** Says that a booking begins or is delayed, or that what is booked goes out of service or comes back. */
function bookingWords({ booked, condition, expiresAt }: Notice, what: string, { text, time, hasNotes }: Style): Words {
  if (booked === null)
    return {
      title: `Your booking of ${what} begins`,
      text: `${what} is yours now${expiresAt === null ? '' : `, until ${time(expiresAt)}`}`,
      label: 'See it, or release it',
    };
  const named = `${what}, which you booked from ${time(booked.start)},`;
  if (condition === null)
    return {
      title: `Your booking of ${what} is delayed`,
      text: `${named} is not free yet. You get it as soon as it is, until ${time(booked.end)}`,
      label: 'See who has it',
    };
  const { isOut, reason } = condition;
  const why = hasNotes && reason !== null ? `: ${text(reason)}` : '';
  return {
    title: `${what}, which you booked, is ${isOut ? 'out of service' : 'back in service'}`,
    text: isOut
      ? `${named} is out of service${why}. Your booking stays, and is delayed if nothing else is free then`
      : `${named} is back in service`,
    label: 'See it',
  };
}

/** The path that a message links to. */
export const pathOf = ({ tenant, notice, resource }: Notice): string => noticePath(tenant, notice, resource);

/** Makes the e-mail of a notice. */
export function mailOf(notice: Notice, userId: string, style: Style): Message {
  const { tenant, untilMs } = notice;
  const { title, text, label } = wordsOf(notice, style);
  return {
    source: { tenant, userId, notice: notice.notice },
    subject: `[${tenant}] ${title}`,
    lines: [text],
    link: { label, path: pathOf(notice) },
    reason: `You chose this on My notices of ${tenant}.`,
    untilMs,
  };
}
