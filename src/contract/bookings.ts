/**
 * Bookings (docs/specification.md#bookings): the requests that make, change, cancel and list them, and their results.
 */
import { z } from 'zod';
import {
  BOOK_CALL_STATUSES,
  BOOK_STATUSES,
  BOOKING_STATES,
  CONFLICT_KINDS,
  MAX_BOOKING_SECONDS,
  MAX_BOOKINGS_OF_CALL,
  MAX_CLAIM_WITHIN_SECONDS,
  MIN_BOOKING_SECONDS,
  MIN_CLAIM_WITHIN_SECONDS,
  WEEKDAYS,
} from '../domain/bookings.ts';
import { isTimeZone } from '../domain/timeZones.ts';
import { apiKeyLabel, instant, item, must, note, requesterName, resourceName, resourceType, time } from './fields.ts';
import { checkAsked, match, named } from './match.ts';
import { explanation } from './reservationFields.ts';

const WHOLE_SECOND = 'a time of whole seconds with its zone, such as 2026-11-24T09:00:00Z';

/** A time of a request. @returns s since 1970, UTC */
const wholeSecond = z.iso
  .datetime({ offset: true, error: must(WHOLE_SECOND) })
  .transform((text) => Date.parse(text) / 1000)
  .refine(Number.isInteger, `must be ${WHOLE_SECOND}`)
  .meta({ type: 'string', format: 'date-time', example: '2026-11-24T09:00:00Z' });

const start = wholeSecond.meta({
  description: 'When it begins: from now to 366 days ahead. Up to 60 s ago means now.',
});
const end = wholeSecond.meta({ description: 'When it ends: at least 60 s after its start.' });

/** Checks how long a booking is, as far as no setting says it. Its times are in s. */
function checkLength(
  { start, end }: { readonly start?: number | undefined; readonly end?: number | undefined },
  context: z.RefinementCtx,
): void {
  if (start === undefined || end === undefined) return;
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['end'], message });
  if (end - start < MIN_BOOKING_SECONDS) refuse(`must be at least ${MIN_BOOKING_SECONDS} s after start`);
  else if (end - start > MAX_BOOKING_SECONDS)
    refuse(`must be at most ${MAX_BOOKING_SECONDS / 86_400} days after start`);
}

const claimRule = `an integer from ${MIN_CLAIM_WITHIN_SECONDS} to ${MAX_CLAIM_WITHIN_SECONDS}`;

/** A series, in the wall-clock time of its zone (docs/specification.md#series). */
export const Repeat = item({
  every: z.enum(['day', 'week'], 'must be day or week').meta({ description: 'How often it comes.' }),
  on: z
    .array(z.enum(WEEKDAYS, `must be one of ${WEEKDAYS.join(', ')}`), { error: must('an array of weekdays') })
    .min(1, 'must name a weekday')
    .optional()
    .meta({ description: 'Its weekdays in its zone. Default: that of `start`; with `day`, all.' }),
  until: z.iso
    .date({ error: must('a date, such as 2026-12-24') })
    .meta({ description: 'The last day in its zone, included.', example: '2026-12-24' }),
  timeZone: z
    .string({ error: must('a time zone, such as Europe/Berlin') })
    .refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')
    .meta({ description: 'An IANA time zone.', example: 'Europe/Berlin' }),
}).meta({ id: 'Repeat' });
export type Repeat = z.output<typeof Repeat>;

export const BookingItem = item({
  resource: resourceName.optional(),
  match: match.optional(),
  requester: requesterName,
  start,
  end,
  note: note.optional(),
  resourceType: resourceType.optional(),
  claimWithinSeconds: z
    .int({ error: must(claimRule) })
    .min(MIN_CLAIM_WITHIN_SECONDS, `must be ${claimRule}`)
    .max(MAX_CLAIM_WITHIN_SECONDS, `must be ${claimRule}`)
    .optional()
    .meta({ description: 'It ends if its requester has not reserved it so long after its start.' }),
  repeat: Repeat.optional().meta({ description: 'A series of such bookings.' }),
})
  .superRefine((one, context) => {
    checkAsked(one, [], (path, message) => context.addIssue({ code: 'custom', path, message }));
    checkLength(one, context);
  })
  .transform(named)
  .meta({ id: 'BookingItem' });
export type BookingItem = z.output<typeof BookingItem>;

const itemsRule = `an array of 1 to ${MAX_BOOKINGS_OF_CALL} bookings`;

export const BookBody = item({
  bookings: z
    .array(BookingItem, { error: must(itemsRule) })
    .min(1, `must be ${itemsRule}`)
    .max(MAX_BOOKINGS_OF_CALL, `must be ${itemsRule}`),
  skipConflicts: z
    .boolean({ error: must('true or false') })
    .optional()
    .meta({ description: 'Leaves out those that conflict, and books the others. Default: all or none.' }),
}).meta({ id: 'BookBody' });
export type BookBody = z.output<typeof BookBody>;

const bookingId = z.uuid().meta({ description: 'Names the booking in other calls.' });
const seriesId = z.uuid().optional().meta({ description: 'The series that it belongs to. Left out: none.' });
const slot = z.string().meta({ description: 'The slot that is booked.' });

export const Conflict = z
  .object({
    kind: z.enum(CONFLICT_KINDS).meta({ description: 'What is in the way: another booking of the slot, or a hold.' }),
    slot: z.string().meta({ description: 'The slot. Of a pool without a free one: the one that is free soonest.' }),
    requester: z.string().nullable().meta({ description: 'Whose it is. Null: it is held SHARED.' }),
    from: time.meta({ description: 'When it began, or begins.' }),
    until: time.nullable().meta({ description: 'When it ends. Null: never, as things are.' }),
    note: z.string().nullable().meta({ description: 'Its `note`.' }),
  })
  .meta({ id: 'BookingConflict' });
export type Conflict = z.output<typeof Conflict>;

const why = {
  explanation: explanation('BOOKED'),
  conflict: Conflict.optional().meta({ description: 'Only with the status CONFLICT.' }),
};

export const BookedItem = z
  .object({
    booking: bookingId.nullable().meta({ description: 'Names it in other calls. Null: it was not booked.' }),
    series: seriesId,
    status: z.enum(BOOK_STATUSES).meta({ description: 'ROLLED_BACK: another one of the call was not booked.' }),
    ...why,
    resource: z.string().meta({ description: 'The resource. With a `match`: the one that was picked.' }),
    requester: z.string(),
    slot: slot.nullable().meta({ description: 'The slot that is booked. Null: none.' }),
    start: time,
    end: time,
  })
  .meta({ id: 'BookedItem' });
export type BookedItem = z.output<typeof BookedItem>;

export const BookResult = z
  .object({
    status: z
      .enum(BOOK_CALL_STATUSES)
      .meta({ description: 'BOOKED: all of them; with `skipConflicts`, at least one.' }),
    bookings: z.array(BookedItem).meta({ description: 'One for each item, and for each occurrence of a series.' }),
  })
  .meta({ id: 'BookResult' });
export type BookResult = z.output<typeof BookResult>;

/** What a PATCH may change of a booking that has not begun. */
export const BookingChange = item({
  start: start.optional(),
  end: end.optional(),
  note: note.nullable().optional().meta({ description: 'Null removes it.' }),
})
  .superRefine((change, context) => {
    checkLength(change, context);
    if (Object.values(change).every((value) => value === undefined))
      context.addIssue({ code: 'custom', path: ['start'], message: 'is required, or end, or note' });
  })
  .meta({ id: 'BookingChange' });
export type BookingChange = z.output<typeof BookingChange>;

export const Booking = z
  .object({
    booking: bookingId,
    series: seriesId,
    resource: z.string(),
    slot,
    requester: z.string(),
    start: time,
    end: time,
    state: z.enum(BOOKING_STATES).meta({
      description: 'DELAYED: its time is running, and no slot could be had for it yet.',
    }),
    note: z.string().nullable(),
    resourceType: z.string(),
    claimWithinSeconds: z.int().optional().meta({ description: 'Left out: it need not be claimed.' }),
    isClaimed: z.boolean().optional().meta({ description: 'Only with `claimWithinSeconds`, while it runs.' }),
    bookedAt: time,
    bookedBy: z.string().nullable().meta({ description: 'Who booked it, if that was not its requester.' }),
    apiKeyLabel,
  })
  .meta({ id: 'Booking' });
export type Booking = z.output<typeof Booking>;

export const ChangedBooking = z
  .object({
    status: z.enum(BOOK_CALL_STATUSES).meta({ description: 'BOOKED: it is changed. Else it is as it was.' }),
    ...why,
    booking: Booking,
  })
  .meta({ id: 'ChangedBooking' });
export type ChangedBooking = z.output<typeof ChangedBooking>;

const name = z.uuid('must be the id of a booking');

/** Names a booking in a path. */
export const BookingParams = z.object({
  id: name.meta({ description: 'The `booking` of the response to a booking.' }),
});

/** Names a series in a path. */
export const SeriesParams = z.object({ id: name.meta({ description: 'The `series` of one of its bookings.' }) });

/** A time in a query, in s. @param round what becomes of a part of a second */
const bound = (round: (seconds: number) => number) => instant.transform((at) => at && round(at.getTime() / 1000));

export const SeriesQuery = z.object({
  from: bound(Math.ceil).meta({
    type: 'string',
    format: 'date-time',
    description: 'Only those that start at this time or later. Default: all that are not over.',
  }),
});

export const CancelBookingsQuery = z.object({ resource: resourceName });

export const BookingFilter = z.object({
  resource: resourceName
    .optional()
    .meta({ description: 'Only those of this resource. Of a pool: those of all its slots.' }),
  requester: requesterName.optional().meta({ description: 'Only those of this requester.' }),
  from: bound(Math.floor).meta({
    type: 'string',
    format: 'date-time',
    description: 'Only those that end after this time.',
  }),
  to: bound(Math.ceil).meta({
    type: 'string',
    format: 'date-time',
    description: 'Only those that start before this time.',
  }),
});
export type BookingFilter = Partial<z.output<typeof BookingFilter>>;

export const CancelledBookings = z
  .object({ cancelled: z.int().meta({ description: 'The number of bookings that ended.' }) })
  .meta({ id: 'CancelledBookings' });
export type CancelledBookings = z.output<typeof CancelledBookings>;
