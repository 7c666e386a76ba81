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

interface CancelledSeries {
  readonly series: string;
  /** Number of bookings that have ended. */
  readonly cancelled: number;
}

const COLUMNS = {
  BOOKING: ({ booking }: Cancelled) => booking,
  STATUS: ({ cancelled }: Cancelled) => (cancelled ? 'cancelled' : 'is over'),
};

const SERIES_COLUMNS = {
  SERIES: ({ series }: CancelledSeries) => series,
  CANCELLED: ({ cancelled }: CancelledSeries) => String(cancelled),
};

/**
 * Cancels one after the other, and prints those that it has cancelled, also if the next one fails.
 * @throws what `cancel` throws
 */
async function each<Row>(
  ids: readonly string[],
  cancel: (id: string) => Promise<Row>,
  print: (rows: readonly Row[]) => void,
): Promise<void> {
  const rows: Row[] = [];
  try {
    for (const id of ids) rows.push(await cancel(id));
  } finally {
    if (rows.length > 0) print(rows);
  }
}

export const unbook: Command = {
  name: 'unbook',
  summary: 'Cancels bookings',
  synopsis: 'unbook [options] <booking>…',
  details: `\
\`holdfast bookings\` shows the ids. A booking that is running is released. With --series, the ids are those of series,
and all their bookings are cancelled.`,
  positionals: { min: 1, max: 200 },
  options: [{ name: 'series', text: 'cancel whole series' }, JSON_OPTION, URL_OPTION],
  examples: [
    'holdfast unbook 0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11',
    'holdfast unbook --series 5f2b7c1e-0c55-4c8e-9c35-0a8f1f4d2e77',
  ],
  run: async ({ args, signal }) => {
    const [client, json] = [await connect({ args, signal }), args.has('json')];
    if (args.has('series'))
      await each(
        args.positionals,
        async (series) => ({ series, cancelled: await client.cancelSeries(series, { signal }) }),
        (rows) => printRows(json, rows, SERIES_COLUMNS, ''),
      );
    else
      await each(
        args.positionals,
        async (booking) => ({ booking, cancelled: await client.cancelBooking(booking, { signal }) }),
        (rows) => printRows(json, rows, COLUMNS, ''),
      );
    return EXIT.done;
  },
};
