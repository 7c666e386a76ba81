/**
 * The form that books a time ahead: its fields, and the booking that it asks for (docs/specification.md#booking).
 */
import { z } from 'zod';
import { WEEKDAYS } from '../../domain/bookings.ts';
import { PERSON_PREFIX } from '../../domain/names.ts';
import { refuseField } from '../form.ts';
import { parseLabels } from '../words/labels.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Times are before the year 10000, so that years have four digits. In ms since 1970 UTC. */
export const MAX_MS = 253_402_300_800_000;

/** One box that is checked, or several. */
const checked = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .transform((all) => WEEKDAYS.filter((day) => all.includes(day)))
  .optional();

/** Dates and times of UTC without their zone. A script sends local ones, and beside each the exact time. */
export const timeFields = {
  start: z.string().optional(),
  startExact: z.string().optional(),
  end: z.string().optional(),
  endExact: z.string().optional(),
};
export type TimeForm = z.output<z.ZodObject<typeof timeFields>>;

export const BookForm = z.object({
  resource: z.string().default(''),
  /** The name that was typed, if no page says the resource. */
  name: z.string().trim().default(''),
  /** Labels `<key>=<value>`, a comma between, instead of a name. */
  match: z.string().default(''),
  /** The path of a group: only what is in it; '' whichever */
  group: z.string().default(''),
  /** The names that the person was shown to get, and for which labels and group; '' none yet */
  shown: z.string().default(''),
  shownFor: z.string().default(''),
  /** The one of the shown resources that was chosen; '' none of them */
  pick: z.string().default(''),
  ...timeFields,
  /** The start of the suggestion that was taken, in ms since 1970 UTC. */
  at: z.string().optional(),
  note: z.string().optional(),
  /** Whose it is: an e-mail address, or the name of a program; '' of the person who books */
  requester: z.string().trim().default(''),
  /** The booking that it replaces, and its resource; '' none */
  instead: z.string().default(''),
  insteadOf: z.string().default(''),
  /** In s; '' it need not be claimed */
  claim: z.string().optional(),
  every: z.enum(['', 'day', 'week']).default(''),
  on: checked,
  until: z.string().optional(),
  /** The request that the person was warned about (textOfWarned() of already.ts); '' none */
  despite: z.string().default(''),
  /** Present if times that are taken are left out. */
  skip: z.literal('true').optional(),
  back: z.string().optional(),
});
export type BookForm = z.output<typeof BookForm>;

export interface Times {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Returns the times that a form asks for.
 * @throws HoldfastError refused if they are none
 */
export function timesOf({ start = '', startExact, end = '', endExact }: TimeForm, at?: string): Times {
  const startMs = Date.parse(startExact || `${start}Z`);
  const endMs = Date.parse(endExact || `${end}Z`);
  if (Number.isNaN(startMs)) refuseField('start', 'the start must be a date and a time');
  if (Number.isNaN(endMs)) refuseField('end', 'the end must be a date and a time');
  if (endMs <= startMs) refuseField('end', 'the end must be after the start');
  const movedMs = at === undefined ? startMs : Number(at);
  const times = { startMs: movedMs, endMs: movedMs + endMs - startMs };
  if (!Object.values(times).every((ms) => Math.abs(ms) < MAX_MS)) refuseField('start', 'the start is too far away');
  return times;
}

/** The fields of a form that asks for times. */
export const typedTimes = ({ startMs, endMs }: Times): TimeForm => {
  const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
  return { start: start?.slice(0, 16), startExact: start, end: end?.slice(0, 16), endExact: end };
};

/** The next full minute, which forms can show, in ms. */
export const fullMinute = (ms: number): number => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;

/** The times that a form suggests: an hour from a start, or from the next full hour. */
export function suggestedTimes(startMs: number | null, nowMs: number): Times {
  const fromMs = startMs === null ? Math.ceil(nowMs / HOUR_MS) * HOUR_MS : fullMinute(startMs);
  return { startMs: fromMs, endMs: fromMs + HOUR_MS };
}

/** The resource of a booking: its name, or labels that it must have. A group is not sent: the API takes none. */
export function wantedOf({ resource, name, match }: Pick<BookForm, 'resource' | 'name' | 'match'>) {
  const wanted = resource || name;
  return wanted === '' ? { match: parseLabels(match) } : { resource: wanted };
}

/** The requester that a person books for: a person by their e-mail address has what the dashboard reserves with. */
const requesterFor = ({ requester }: Pick<BookForm, 'requester'>, own: string): string => {
  if (requester === '') return own;
  return requester.includes('@') && !requester.startsWith(PERSON_PREFIX) ? PERSON_PREFIX + requester : requester;
};

/**
 * Returns the booking that a form asks for, as the API takes it.
 * @param own the requester of the person who books
 * @param zone in which its days are, if it is a series
 * @throws HoldfastError refused
 */
export function itemOf(form: BookForm, own: string, zone: string): object {
  const { note = '', claim = '', every, on, until = '' } = form;
  const { startMs, endMs } = timesOf(form, form.at);
  if (every !== '' && until === '') refuseField('repeat', 'say until which day it is repeated');
  return {
    ...wantedOf(form),
    requester: requesterFor(form, own),
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    ...(note !== '' && { note }),
    ...(claim !== '' && { claimWithinSeconds: Number(claim) }),
    ...(every !== '' && { repeat: { every, until, timeZone: zone, ...(on && on.length > 0 && { on }) } }),
  };
}
