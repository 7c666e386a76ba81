/**
 * `holdfast book`: books slots for a time ahead, and reads how a booking repeats: `--every week --on mon,wed --until
 * 2026-12-24`.
 */
import { whyNotBooked } from '../../errors.ts';
import type { BookedItem, Repeat } from '../../types.ts';
import type { Arguments, Option } from '../arguments.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { dayAndTime, momentIn } from '../moments.ts';
import { printRows, say } from '../output.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const REPEAT_OPTIONS: readonly Option[] = [
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

const DETAILS = `\
Only registered resources with \`bookable\` can be booked. From --from to --to it is the requester's: \`holdfast reserve\`
its slot then, by the same requester.

Several resources are booked together, or not at all. So is a series: --every week --on mon,wed --until 2026-12-24.
--skip-conflicts leaves out what cannot be booked, and books the rest.

Times are in the zone of this machine, or of the variable TZ: 'tomorrow 9:00', 'mon 9:00', '2026-11-24 9:00', or
9:00, the next one. A time without a day in --to is the first one after --from. A series stays at 9:00 when the clocks
change.`;

const COLUMNS = {
  SLOT: ({ slot }: BookedItem) => slot ?? '',
  REQUESTER: ({ requester }: BookedItem) => requester,
  FROM: ({ start }: BookedItem) => dayAndTime(start),
  TO: ({ end }: BookedItem) => dayAndTime(end),
  BOOKING: ({ booking }: BookedItem) => booking ?? '',
};

export const book: Command = {
  name: 'book',
  summary: 'Books resources for a time ahead',
  synopsis: 'book [options] <resource>…',
  details: DETAILS,
  positionals: { min: 1, max: 200 },
  options: [
    { name: 'from', value: '<time>', text: 'when it begins' },
    { name: 'to', value: '<time>', text: 'when it ends' },
    ...REPEAT_OPTIONS,
    { name: 'skip-conflicts', text: 'leave out those that conflict' },
    { name: 'note', value: '<text>', text: 'why, for people' },
    { ...REQUESTER_OPTION, text: 'who books; default: $HOLDFAST_REQUESTER' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    "holdfast book pixel-8 --from 'tomorrow 9:00' --to 11:00",
    "holdfast book phones --from 'mon 9:00' --to 17:00 --requester ann --note demo",
    "holdfast book pixel-8 bench --from 'mon 9:00' --to 11:00 --every week --on mon,wed --until 2026-12-24",
  ],
  run: async ({ args, signal }) => {
    const [from, to, requester] = [args.text('from'), args.text('to'), namedRequester(args)];
    if (from === undefined || to === undefined) throw usageError('from when to when? book needs --from and --to');
    if (requester === undefined) throw usageError('who books? book needs --requester, or HOLDFAST_REQUESTER');
    const start = momentIn(from, 'from', new Date());
    const end = momentIn(to, 'to', start);
    const repeat = repeatOf(args);
    const [note, skipConflicts] = [args.text('note'), args.has('skip-conflicts')];
    const client = await connect({ args, signal });
    const options = { start, end, requester, note, repeat, skipConflicts, signal };
    show(await client.bookAll(args.positionals, options), args.has('json'));
    return EXIT.done;
  },
};

/** Prints what was booked, and says what was left out. JSON has both. */
function show(results: readonly BookedItem[], json: boolean): void {
  const booked = results.filter(({ status }) => status === 'BOOKED');
  printRows(json, json ? results : booked, COLUMNS, '');
  for (const one of results)
    if (one.status !== 'BOOKED') say(`left out: ${one.resource} on ${dayAndTime(one.start)}: ${whyNotBooked(one)}`);
  const series = new Set(booked.map((one) => one.series));
  for (const one of series) if (one !== undefined) say(`cancel the series: holdfast unbook --series ${one}`);
}
