/**
 * The tools `book`, `list_bookings` and `cancel_booking` (docs/specification.md#tools, #bookings).
 */
import { z } from 'zod';
import {
  BookBody,
  BookedItem,
  Booking,
  type BookResult,
  CancelledBookings,
  type Conflict,
  Repeat,
  SeriesQuery,
} from '../../contract/bookings.ts';
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
CONFLICT says what is in the way, and until when. Nothing was booked then: choose another time, or another resource.
With \`repeat\` you book a series, such as each weekday from nine to ten: all of it or nothing, unless you send \`skipConflicts\`. \`bookings\` of the result has each time, with its slot.`;

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
    repeat: Repeat.optional().meta({ description: 'Books it again on later days, at the same time of the day.' }),
    skipConflicts: z
      .boolean()
      .optional()
      .meta({ description: 'Of a series: leave out the times that conflict, and book the others.' }),
  }),
  output: BookedItem.extend({
    bookings: z.array(BookedItem).optional().meta({ description: 'Each time of a series; only with `repeat`.' }),
  }),
  run: async ({ deps, credential, requester }, { skipConflicts, ...input }) => {
    const one = { ...input, requester: requester.need(input.requester) };
    const { data, error } = BookBody.safeParse({ bookings: [one], skipConflicts });
    if (error !== undefined)
      throw new ToolError(`${sentence(describeFault(error).replace(/^bookings\[0\]\.?/, ''))} Nothing was booked.`);
    const { result, quota } = await carryOut(deps, credential, data);
    const { status, bookings } = result;
    // What was booked, or what is in the way of it.
    const first = bookings.find((booked) => booked.status === status) ?? bookings[0];
    if (first === undefined) throw new TypeError('a booking has a result');
    const isSeries = input.repeat !== undefined;
    const message = isSeries ? seriesText(first, result) : bookedText(first);
    const fields = isSeries ? { ...first, bookings } : first;
    return { message, fields, isError: status === 'NOT_VALID', quota };
  },
});

/** Conflicts of a series that a text lists. */
const MOST_CONFLICTS = 5;

/** @param first the first that was booked; else the first that is in the way of the others */
function seriesText(first: BookedItem, { status, bookings }: BookResult): string {
  const conflicts = bookings.filter((one) => one.conflict !== undefined || one.status === 'NOT_VALID');
  const shown = conflicts.slice(0, MOST_CONFLICTS).map(({ start, explanation, conflict }) => {
    return `${start}: ${conflict === undefined ? sentence(explanation) : conflictText(conflict)}`;
  });
  if (conflicts.length > shown.length) shown.push(`${conflicts.length - shown.length} more`);
  if (status !== 'BOOKED') return lines(`${status}. Nothing of the series was booked. In the way:`, shown);
  const booked = bookings.filter((one) => one.status === 'BOOKED');
  const slots = new Set(booked.map(({ slot, resource }) => slot ?? resource));
  const what = slots.size === 1 ? quoted(first.slot ?? first.resource) : `a slot of ${quoted(first.resource)}`;
  const text = `BOOKED: ${what} is yours ("${first.requester}") ${booked.length} times, from ${timeText(first.start)} to ${booked.at(-1)?.end}. Keep the series ${first.series}: cancel_booking needs it. At each start, call reserve with the slot and the same requester.`;
  return conflicts.length === 0 ? text : lines(`${text} Left out:`, shown);
}

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
      ({ booking, series, slot, requester, start, end, state, note }) =>
        `${quoted(slot)}: "${requester}" from ${timeText(start)} to ${end}, ${state}${noteText(note)}, booking ${booking}${series === undefined ? '' : ` of series ${series}`}`,
    );
    const message = lines(counted(rows, more, 'Nothing is booked.', ['booking', 'bookings']), texts);
    return { message, fields: { bookings: rows, more }, quota: list.quota };
  },
});

export const cancelBooking = tool({
  name: 'cancel_booking',
  title: 'Cancel a booking',
  description:
    'Cancel a booking that you do not need any more, as soon as you know it, or a series of them. One that is running is released. Take the id that book returned, or list_bookings shows.',
  right: 'reserve',
  isDestructive: true,
  input: item({
    booking: z.uuid('must be the id of a booking').optional().meta({ description: 'The booking that book returned.' }),
    series: z.uuid('must be the id of a series').optional().meta({ description: 'Instead: all bookings of a series.' }),
    from: z
      .string()
      .optional()
      .meta({ description: 'With `series`: only those that start at this time or later.', example }),
  }),
  output: CancelledBookings,
  run: async ({ deps, credential }, { booking, series, from }) => {
    const { data, error } = SeriesQuery.safeParse({ from });
    if (error !== undefined) throw new ToolError(`${sentence(describeFault(error))} Nothing was cancelled.`);
    const which = whichOf(booking, series, data.from);
    const { result, quota } = await cancelBookings(deps, credential, which);
    const { cancelled } = result;
    const done = cancelled === 1 ? 'it is' : `${cancelled} bookings are`;
    const message =
      cancelled === 0
        ? 'There is no such booking: it is over, or was cancelled.'
        : `CANCELLED: ${done} not booked any more.`;
    return { message, fields: result, quota };
  },
});

/** @throws ToolError */
function whichOf(booking: string | undefined, series: string | undefined, from: number | undefined) {
  if (booking !== undefined && series === undefined && from === undefined) return { booking };
  if (booking === undefined && series !== undefined) return { series, from };
  throw new ToolError('Send `booking`, or `series`, with `from` if you like. Nothing was cancelled.');
}
