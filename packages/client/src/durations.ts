/** Durations in options: a number of ms, or text with a unit, such as '30s'. */
import { HoldfastError } from './errors.ts';

/** A number of ms, or text: `500ms`, `30s`, `10m`, `1.5h`, `1d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * @param name the option, for the message
 * @returns ms, 0 or more
 * @throws HoldfastError INVALID_OPTION
 */
export function msOf(duration: number | string, name: string): number {
  const [, amount = 'NaN', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === 'number' ? duration : Number(amount) * (UNITS.get(unit) ?? Number.NaN);
  if (ms >= 0) return ms;
  throw new HoldfastError('INVALID_OPTION', `${name} is a number of ms, or text such as '30s'; not ${duration}`);
}

/** As above, in whole seconds, rounded up: the unit of the service. */
export const secondsOf = (duration: number | string, name: string): number => Math.ceil(msOf(duration, name) / 1000);
