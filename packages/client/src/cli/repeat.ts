/** Reads how a booking repeats: `--every week --on mon,wed --until 2026-12-24`. */
import type { Repeat } from '../types.ts';
import type { Arguments, Option } from './arguments.ts';
import { usageError } from './exitCodes.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const REPEAT_OPTIONS: readonly Option[] = [
  { name: 'every', value: '<day|week>', text: 'books a series' },
  { name: 'on', value: '<weekdays>', text: 'mon,wed. Default: the weekday of --from; with day, all' },
  { name: 'until', value: '<date>', text: 'the last day of the series: 2026-12-24' },
];

/**
 * Returns the series that the options mean, in the zone of this machine; undefined: they mean none.
 * @throws ExitError of wrong use
 */
export function repeatOf(args: Arguments): Repeat | undefined {
  const [every, on, until] = [args.text('every'), args.text('on'), args.text('until')];
  if (every === undefined && on === undefined && until === undefined) return undefined;
  if (every !== 'day' && every !== 'week') throw usageError('a series needs --every day or --every week');
  if (until === undefined) throw usageError('until when? a series needs --until, a date such as 2026-12-24');
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { every, until, timeZone, ...(on !== undefined && { on: on.split(',').map(weekdayOf) }) };
}

function weekdayOf(text: string): (typeof WEEKDAYS)[number] {
  const found = WEEKDAYS.find((weekday) => weekday === text.trim().slice(0, 3).toLowerCase());
  if (found === undefined) throw usageError(`--on takes weekdays such as mon,wed, not ${JSON.stringify(text)}`);
  return found;
}
