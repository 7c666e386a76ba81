/**
 * How long a person needs something, as forms ask it (components/leaseFields.tsx).
 */
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import type { Terms } from '../../domain/tenants.ts';

const HOUR_S = 3600;

/** The lengths that forms offer, in s. */
const CHOICES: readonly (readonly [number, string])[] = [
  [HOUR_S / 2, '30 minutes'],
  [HOUR_S, '1 hour'],
  [2 * HOUR_S, '2 hours'],
  [4 * HOUR_S, '4 hours'],
  [8 * HOUR_S, '8 hours'],
  [24 * HOUR_S, '1 day'],
  [7 * 24 * HOUR_S, '7 days'],
];

/** The value of the choice of a reservation without an end. */
export const NO_END = 'none';

/** The value of the choice of an end, in ms since 1970 UTC, begins with it. */
const AT = '@';
/** By how much the first choice extends a reservation. */
const LONGER_MS = HOUR_S * 1000;

/** Returns the choice of an hour more than now, if the tenant allows that; null if it does not. */
export function longerChoice(endsAtMs: number, { maxTtlSeconds }: Terms): readonly [string, string] | null {
  const untilMs = endsAtMs + LONGER_MS;
  if (maxTtlSeconds !== null && untilMs > Date.now() + maxTtlSeconds * 1000) return null;
  return [`${AT}${untilMs}`, '1 hour longer'];
}

/** The fields of a form that asks for a lease. */
export const leaseFields = {
  lease: z.string().optional(),
  /** A date and time of UTC, without its zone: the browser has no script. It comes before `lease`. */
  until: z.string().optional(),
  /** The same with its zone, by the script. */
  untilExact: z.string().optional(),
};
export type LeaseForm = z.output<z.ZodObject<typeof leaseFields>>;

/** Returns the lengths that a tenant allows, in s, and what they are called. */
export function leaseChoices({ defaultTtlSeconds, maxTtlSeconds }: Terms): (readonly [number, string])[] {
  const max = maxTtlSeconds ?? Number.POSITIVE_INFINITY;
  const allowed = CHOICES.filter(([seconds]) => seconds <= max);
  for (const own of [defaultTtlSeconds, allowed.length === 0 ? maxTtlSeconds : null])
    if (own !== null && allowed.every(([seconds]) => seconds !== own)) allowed.push([own, lengthText(own)]);
  return allowed.sort(([one], [other]) => one - other);
}

/** The length that forms suggest, in s: the tenant's own, else an hour, or less if that is too long. */
export const suggestedLease = ({ defaultTtlSeconds, maxTtlSeconds }: Terms): number =>
  defaultTtlSeconds ?? Math.min(HOUR_S, maxTtlSeconds ?? HOUR_S);

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
export function leaseOf({ lease = '', until = '', untilExact = '' }: LeaseForm): number | undefined {
  if (until !== '') return secondsUntil(Date.parse(untilExact || `${until}Z`));
  if (lease.startsWith(AT)) return secondsUntil(Number(lease.slice(AT.length)));
  if (lease === NO_END) return undefined;
  const seconds = Number(lease);
  if (!Number.isInteger(seconds) || seconds < 1) throw new HoldfastError('refused', 'choose how long you need it');
  return seconds;
}

/** @throws HoldfastError refused if it is not a time in the future */
function secondsUntil(endsAtMs: number): number {
  const seconds = Math.ceil((endsAtMs - Date.now()) / 1000);
  if (!Number.isFinite(seconds)) throw new HoldfastError('refused', 'the end must be a date and a time');
  if (seconds < 1) throw new HoldfastError('refused', 'the end must be in the future');
  return seconds;
}
