/** Durations in options: a number of ms, or text with a unit, such as '30s'. The service counts whole seconds. */
import { invalid } from './errors.ts';

/** A number of ms, or text: `500ms`, `30s`, `10m`, `1.5h`, `1d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** No limit. */
export const ENDLESS: number = Number.POSITIVE_INFINITY;

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * @param duration a number between 0 and 1000 is refused: seconds are meant by it nearly always
 * @param name the option, for the message
 * @returns ms, 0 or more, rounded up to whole seconds
 * @throws HoldfastError INVALID_OPTION
 */
export function msOf(duration: number | string, name: string): number {
  const isNumber = typeof duration === 'number';
  const [, amount = 'NaN', unit = ''] = (isNumber ? null : DURATION.exec(duration)) ?? [];
  const ms = isNumber ? duration : Number(amount) * (UNITS[unit] ?? 0);
  if (isNumber && ms > 0 && ms < 1000) throw invalid(`${name}: ${ms} is ${ms} ms; write '${ms}s' for seconds`);
  if (ms >= 0) return Math.ceil(ms / 1000) * 1000;
  const endless = name === 'wait' ? '' : ', or Infinity';
  throw invalid(`${name} is a number of ms, or text such as '30s'${endless}; not ${String(duration)}`);
}

/**
 * @param ttl a lease
 * @returns seconds, at least 1; Infinity: it never ends
 * @throws HoldfastError INVALID_OPTION
 */
export function ttlSecondsOf(ttl: Duration = '30s'): number {
  const seconds = msOf(ttl, 'ttl') / 1000;
  if (seconds > 0) return seconds;
  throw invalid("ttl is at least '1s'");
}

/**
 * @param wait the longest wait
 * @returns ms, in whole seconds; 0: not at all
 * @throws HoldfastError INVALID_OPTION
 */
export function waitMsOf(wait: Duration = 0): number {
  const ms = msOf(wait, 'wait');
  if (ms <= 86_400_000) return ms;
  throw invalid("wait is at most '1d'");
}
