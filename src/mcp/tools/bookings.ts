/**
 * The tools `book`, `list_bookings` and `cancel_booking` (docs/specification.md#tools, #bookings).
 */
import { z } from 'zod';
import { BookBody, BookedItem, Booking, CancelledBookings, type Conflict } from '../../contract/bookings.ts';
import { item, note, requesterName, resourceName } from '../../contract/fields.ts';
import { match } from '../../contract/match.ts';
import { describeFault } from '../../http/errors.ts';
import { cancelBookings, book as carryOut } from '../../operations/bookings.ts';
import { listBookings } from '../../operations/lists.ts';
import { ToolError } from '../failures.ts';
import { counted, firstRows, limit, more } from '../rows.ts';
import { tool } from '../tool.ts';
import { lines, noteText, quoted, requester, sentence, timeText, untilText } from '../words.ts';

const DESCRIPTION = `Book a resource for a time ahead, such as tomorrow from nine to eleven. To use one now, call reserve instead.
Only registered resources with \`bookable\` can be booked. From start to end it is yours: call reserve with the \`slot\` of the result and the same requester then, and you get ALREADY_HAD with your releaseToken. Release it when you are done, even if that is before the end.
CONFLICT says what is in the way, and until when. Nothing was booked then: choose another time, or another resource.`;

const example = '2026-11-24T09:00:00Z';
const timeRule = 'A time of whole seconds with its zone.';

export const book = tool({
  name: 'book',
  title: 'Book a resource for a time ahead',
  description: DESCRIPTION,
  right: 'reserve',
  isDestructive: false,
  input: item({
    resource: resourceName.optional().meta({ description: 'The name of the resource.', example: 'pixel-8' }),
    match: match.optional().meta({
      description: 'Instead of `resource`: labels. Any bookable resource that has them is booked; the result names it.',
    }),
    requester,
    start: z.string().meta({ description: `When it begins. ${timeRule}`, example }),
    end: z.string().meta({ description: `When it ends, at least 60 s later. ${timeRule}`, example }),
    note: note.optional().meta({ description: 'What you need it for, in a few words.' }),
  }),
  output: BookedItem,
  run: async ({ deps, credential, requester }, input) => {
    const one = { ...input, requester: requester.need(input.requester) };
    const { data, error } = BookBody.safeParse({ bookings: [one] });
    if (error !== undefined)
      throw new ToolError(`${sentence(describeFault(error).replace(/^bookings\[0\]\.?/, ''))} Nothing was booked.`);
    const { result, quota } = await carryOut(deps, credential, data);
    const [booked] = result.bookings;
    if (booked === undefined) throw new TypeError('a booking has one result');
    return { message: bookedText(booked), fields: booked, isError: booked.status === 'NOT_VALID', quota };
  },
});

function bookedText({
  status,
  explanation,
  booking,
  slot,
  resource,
  requester,
  start,
  end,
  conflict,
}: BookedItem): string {
  if (status === 'BOOKED')
    return `BOOKED: ${quoted(slot ?? resource)} is yours ("${requester}") from ${timeText(start)} to ${end}. Keep the booking ${booking}: cancel_booking needs it. At the start, call reserve with ${quoted(slot ?? resource)} and the same requester.`;
  const why = conflict === undefined ? '' : ` ${conflictText(conflict)}`;
  return `${sentence(explanation)}${why} Nothing was booked.`;
}

function conflictText({ kind, slot, requester, from, until, note }: Conflict): string {
  const who = requester === null ? 'several' : `"${requester}"`;
  return kind === 'BOOKING'
    ? `${quoted(slot)} is booked by ${who} from ${from} ${untilText(until)}${noteText(note)}.`
    : `${quoted(slot)} is held by ${who} ${untilText(until)}${noteText(note)}.`;
}

export const listBookingsTool = tool({
  name: 'list_bookings',
  title: 'List bookings',
  description:
    'List the bookings that are to come or running, by whom, from when to when and what for. Changes nothing. Look here for a free time before you book.',
  right: 'read',
  isDestructive: null,
  input: item({
    resource: resourceName.optional().meta({ description: 'Only for this resource.', example: 'pixel-8' }),
    requester: requesterName.optional().meta({ description: 'Only of this requester.' }),
    limit,
  }),
  output: z.object({ bookings: z.array(Booking), more }),
  run: async ({ deps, credential }, { limit, ...filter }) => {
    const list = await listBookings(deps, credential, filter);
    const { rows, more } = await firstRows(list, limit);
    const texts = rows.map(
      ({ booking, slot, requester, start, end, state, note }) =>
        `${quoted(slot)}: "${requester}" from ${timeText(start)} to ${end}, ${state}${noteText(note)}, booking ${booking}`,
    );
    const message = lines(counted(rows, more, 'Nothing is booked.', ['booking', 'bookings']), texts);
    return { message, fields: { bookings: rows, more }, quota: list.quota };
  },
});

export const cancelBooking = tool({
  name: 'cancel_booking',
  title: 'Cancel a booking',
  description:
    'Cancel a booking that you do not need any more, as soon as you know it. One that is running is released. Take the id that book returned, or list_bookings shows.',
  right: 'reserve',
  isDestructive: true,
  input: item({
    booking: z.uuid('must be the id of a booking').meta({ description: 'The booking that book returned.' }),
  }),
  output: CancelledBookings,
  run: async ({ deps, credential }, { booking }) => {
    const { result, quota } = await cancelBookings(deps, credential, { booking });
    const message =
      result.cancelled === 0
        ? 'There is no such booking: it is over, or was cancelled.'
        : 'CANCELLED: it is not booked any more.';
    return { message, fields: result, quota };
  },
});
