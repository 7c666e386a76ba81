/** `holdfast bookings`: lists bookings. */
import type { Booking } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { dayAndTime } from '../moments.ts';
import { printRows } from '../output.ts';
import { FILTERS } from './ls.ts';

const COLUMNS = {
  SLOT: ({ slot }: Booking) => slot,
  REQUESTER: ({ requester }: Booking) => requester,
  FROM: ({ start }: Booking) => dayAndTime(start),
  TO: ({ end }: Booking) => dayAndTime(end),
  STATE: ({ state }: Booking) => state.toLowerCase(),
  BOOKING: ({ booking }: Booking) => booking,
  NOTE: ({ note }: Booking) => note ?? '',
};

/** A column of its own, if there are series. */
const SERIES = ({ series }: Booking) => series ?? '';

export const bookings: Command = {
  name: 'bookings',
  summary: 'Lists bookings that are to come or running',
  synopsis: 'bookings [options]',
  positionals: { min: 0, max: 0 },
  options: [...FILTERS, JSON_OPTION, URL_OPTION],
  examples: ['holdfast bookings', 'holdfast bookings --resource pixel-8', 'holdfast bookings --requester ann --json'],
  run: async ({ args, signal }) => {
    const filter = { resource: args.text('resource'), requester: args.text('requester'), signal };
    const rows = await (await connect({ args, signal })).bookings(filter);
    const columns = rows.some(({ series }) => series) ? { ...COLUMNS, SERIES } : COLUMNS;
    printRows(args.has('json'), rows, columns, 'nothing is booked');
    return EXIT.done;
  },
};
