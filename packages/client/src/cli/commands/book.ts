/** `holdfast book`: books a slot for a time ahead. */
import type { BookedItem } from '../../types.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { dayAndTime, momentIn } from '../moments.ts';
import { printRows } from '../output.ts';

const DETAILS = `\
Only registered resources with \`bookable\` can be booked. From --from to --to it is the requester's: \`holdfast reserve\`
its slot then, by the same requester.

Times are in the zone of this machine: 'tomorrow 9:00', 'mon 9:00', '2026-11-24 9:00', or 9:00, the next one. A time
without a day in --to is the first one after --from.`;

const COLUMNS = {
  SLOT: ({ slot }: BookedItem) => slot ?? '',
  REQUESTER: ({ requester }: BookedItem) => requester,
  FROM: ({ start }: BookedItem) => dayAndTime(start),
  TO: ({ end }: BookedItem) => dayAndTime(end),
  BOOKING: ({ booking }: BookedItem) => booking ?? '',
};

export const book: Command = {
  name: 'book',
  summary: 'Books a slot for a time ahead',
  synopsis: 'book [options] <resource>',
  details: DETAILS,
  positionals: { min: 1, max: 1 },
  options: [
    { name: 'from', value: '<time>', text: 'when it begins' },
    { name: 'to', value: '<time>', text: 'when it ends' },
    { name: 'note', value: '<text>', text: 'why, for people' },
    { ...REQUESTER_OPTION, text: 'who books; default: $HOLDFAST_REQUESTER' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    "holdfast book pixel-8 --from 'tomorrow 9:00' --to 11:00",
    "holdfast book phones --from 'mon 9:00' --to 17:00 --requester ann --note demo",
  ],
  run: async ({ args, signal }) => {
    const [resource = ''] = args.positionals;
    const [from, to, requester] = [args.text('from'), args.text('to'), namedRequester(args)];
    if (from === undefined || to === undefined) throw usageError('from when to when? book needs --from and --to');
    if (requester === undefined) throw usageError('who books? book needs --requester, or HOLDFAST_REQUESTER');
    const start = momentIn(from, 'from', new Date());
    const end = momentIn(to, 'to', start);
    const client = await connect({ args, signal });
    const booked = await client.book(resource, { start, end, requester, note: args.text('note'), signal });
    printRows(args.has('json'), [booked], COLUMNS, '');
    return EXIT.done;
  },
};
