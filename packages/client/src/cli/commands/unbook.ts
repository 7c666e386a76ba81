/** `holdfast unbook`: cancels bookings. */
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { printRows } from '../output.ts';

interface Cancelled {
  readonly booking: string;
  /** False: it was over, or was cancelled before. */
  readonly cancelled: boolean;
}

const COLUMNS = {
  BOOKING: ({ booking }: Cancelled) => booking,
  STATUS: ({ cancelled }: Cancelled) => (cancelled ? 'cancelled' : 'is over'),
};

export const unbook: Command = {
  name: 'unbook',
  summary: 'Cancels bookings',
  synopsis: 'unbook [options] <booking>…',
  details: '`holdfast bookings` shows the ids. A booking that is running is released.',
  positionals: { min: 1, max: 200 },
  options: [JSON_OPTION, URL_OPTION],
  examples: ['holdfast unbook 0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11'],
  run: async ({ args, signal }) => {
    const client = await connect({ args, signal });
    const rows: Cancelled[] = [];
    for (const booking of args.positionals)
      rows.push({ booking, cancelled: await client.cancelBooking(booking, { signal }) });
    printRows(args.has('json'), rows, COLUMNS, '');
    return EXIT.done;
  },
};
