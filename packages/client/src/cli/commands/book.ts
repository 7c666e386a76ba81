/** `holdfast book`: books slots for a time ahead. */
import { whyNotBooked } from '../../errors.ts';
import type { BookedItem } from '../../types.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { dayAndTime, momentIn } from '../moments.ts';
import { printRows, say } from '../output.ts';
import { REPEAT_OPTIONS, repeatOf } from '../repeat.ts';

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
