/**
 * The time that a person needs something, as forms ask for it (components/leaseFields.tsx).
 */
import { z } from 'zod';
import { suggestedLease, type Terms } from '../../domain/tenants.ts';
import { refuseField } from '../form.ts';
import { atHour } from '../zone.ts';

const HOUR_S = 3600;

/** The lengths that forms offer, in s: the first three, and more where times of the day are too late. */
const LENGTHS_S = [HOUR_S / 2, HOUR_S, 2 * HOUR_S, 4 * HOUR_S, 8 * HOUR_S];
const MAX_LENGTHS = 3;
/** Choices besides an end of one's own. */
const MAX_CHOICES = 5;
/** The hours that forms offer, each with its day: today or tomorrow. */
const HOURS: readonly (readonly [number, number, string])[] = [
  [17, 0, ''],
  [20, 0, 'Tonight '],
  [9, 1, 'Tomorrow '],
  [17, 1, 'Tomorrow '],
];
/** A time of the day that is nearer is not offered, in s. */
const NEAR_S = HOUR_S / 2;

/** The value of the choice of a reservation without an end, and of an end of one's own. */
export const NO_END = 'none';
export const OTHER = 'other';

/** The value of the choice of an end, in ms since 1970 UTC, begins with it. */
const AT = '@';
/** By how much the first choice extends a reservation. */
const LONGER_MS = HOUR_S * 1000;

/** A choice of how long. */
export interface LeaseChoice {
  /** The value of its field. */
  readonly value: string;
  /** When it would end, in ms since 1970 UTC */
  readonly endMs: number;
  /** Beside or in front of the time: `1 h`, `Tonight `. */
  readonly length: string;
  readonly day: string;
}

/** Ends that are nearer to each other look the same. */
const MINUTE_MS = 60_000;

/** True if two choices look the same. */
export const isSameEnd = (one: LeaseChoice, other: LeaseChoice): boolean =>
  Math.abs(one.endMs - other.endMs) < MINUTE_MS;

/** Returns the choice of an hour more than now, if the tenant allows that; null if it does not. */
export function longerChoice(endsAtMs: number, { maxTtlSeconds }: Terms): LeaseChoice | null {
  const endMs = endsAtMs + LONGER_MS;
  if (maxTtlSeconds !== null && endMs > Date.now() + maxTtlSeconds * 1000) return null;
  return { ...choiceUntil(endMs), length: '+1 h' };
}

/** Returns the choice of a time. @param endMs ms since 1970 UTC */
export const choiceUntil = (endMs: number): LeaseChoice => ({ value: `${AT}${endMs}`, endMs, length: '', day: '' });

/** The fields of a form that asks for a lease. */
export const leaseFields = {
  lease: z.string().optional(),
  /** A date and time of UTC, without its zone: the browser has no script. It counts if `lease` is OTHER. */
  until: z.string().optional(),
  /** The same with its zone, by the script. */
  untilExact: z.string().optional(),
};
export type LeaseForm = z.output<z.ZodObject<typeof leaseFields>>;

/** Returns the times of the day that a tenant allows, the next two. */
function hourChoices(maxSeconds: number, zone: string, nowMs: number): LeaseChoice[] {
  return HOURS.map(([hour, day, name]) => ({ endMs: atHour(hour, day, zone, nowMs), day: name }))
    .filter(({ endMs }) => endMs >= nowMs + NEAR_S * 1000 && endMs <= nowMs + maxSeconds * 1000)
    .slice(0, MAX_CHOICES - MAX_LENGTHS)
    .map(({ endMs, day }) => ({ ...choiceUntil(endMs), day }));
}

/**
 * Returns the ends that a form offers, at most six: lengths that the tenant allows, and times of the day.
 * @param zone in which times of the day are; null: only lengths, since they begin at another time than now
 */
export function leaseChoices(terms: Terms, zone: string | null, nowMs = Date.now()): LeaseChoice[] {
  const max = terms.maxTtlSeconds ?? Number.POSITIVE_INFINITY;
  const hours = zone === null ? [] : hourChoices(max, zone, nowMs);
  const lengths = LENGTHS_S.filter((seconds) => seconds <= max).slice(0, MAX_CHOICES - hours.length);
  const suggested = suggestedLease(terms);
  if (!lengths.includes(suggested)) lengths.push(suggested);
  const inLengths = lengths
    .sort((one, other) => one - other)
    .map((seconds) => ({
      value: String(seconds),
      endMs: nowMs + seconds * 1000,
      length: lengthText(seconds),
      day: '',
    }));
  return [...inLengths, ...hours.filter((hour) => !inLengths.some((one) => isSameEnd(one, hour)))];
}

/** A length in words: `1 h 30 min`. */
function lengthText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / HOUR_S), 'h'],
    [Math.floor((seconds % HOUR_S) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

/**
 * Returns the lease that a form asks for, in s; undefined: it has no end.
 * @throws HoldfastError refused if it ends in the past, or is not a lease
 */
export function leaseOf({ lease = OTHER, until = '', untilExact = '' }: LeaseForm): number | undefined {
  if (lease === OTHER) return secondsUntil(Date.parse(untilExact || `${until}Z`));
  if (lease.startsWith(AT)) return secondsUntil(Number(lease.slice(AT.length)));
  if (lease === NO_END) return undefined;
  const seconds = Number(lease);
  if (!Number.isInteger(seconds) || seconds < 1) refuseField('ttlSeconds', 'choose how long you need it');
  return seconds;
}

/** @throws HoldfastError refused if it is not a time in the future */
function secondsUntil(endsAtMs: number): number {
  const seconds = Math.ceil((endsAtMs - Date.now()) / 1000);
  if (!Number.isFinite(seconds)) refuseField('ttlSeconds', 'the end must be a date and a time');
  if (seconds < 1) refuseField('ttlSeconds', 'the end must be in the future');
  return seconds;
}
