/**
 * /api/v1/Booking: books slots for a time ahead, and lists, changes and cancels bookings
 * (docs/specification.md#bookings).
 */
import { z } from '@hono/zod-openapi';
import {
  BookBody,
  Booking,
  BookingChange,
  BookingFilter,
  BookingParams,
  BookResult,
  CancelBookingsQuery,
  CancelledBookings,
  ChangedBooking,
  SeriesParams,
  SeriesQuery,
} from '../../contract/bookings.ts';
import { DryRunQuery } from '../../contract/preferences.ts';
import { book, cancelBookings, changeBooking, dryBook } from '../../operations/bookings.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { listBookings } from '../../operations/lists.ts';
import { actForBookings } from '../call/actFor.ts';
import { isDryRun } from '../call/idempotency.ts';
import { answerList, jsonRows } from '../call/listing.ts';
import { operation } from '../call/operation.ts';
import { asIs, charged } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../openapi/responses.ts';

const PATH = '/api/v1/Booking';
const common = { tags: ['Booking'] };

const bookOperation = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'book',
  right: 'reserve',
  summary: 'Book slots for a time ahead',
  description:
    'All of them, or none; with `skipConflicts`, those that conflict with nothing. From `start` to `end` the slot is the requester’s: a reserve of `slot` by this requester returns its release token. Costs one write for each booking, and so for each occurrence of a series. With `dryRun=true`, nothing is booked: the response says what would happen now.',
  query: DryRunQuery,
  isRepeatable: true,
  body: BookBody,
  fillRequester: actForBookings,
  responses: { 200: answer('What was booked.', BookResult), ...bodyOperation },
});

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listBookings',
  right: 'read',
  summary: 'List future and running bookings',
  description:
    'Sorted by their start. Costs one read for each 1,000 bookings. A response that ends before its closing bracket is incomplete.',
  request: { query: BookingFilter },
  responses: { 200: answer('The bookings.', z.array(Booking)), ...parameterOperation },
});

const changeOperation = operation({
  ...common,
  method: 'patch',
  path: `${PATH}/{id}`,
  operationId: 'changeBooking',
  right: 'reserve',
  summary: 'Move a booking',
  description:
    'Changes the times or the note of one that has not begun. It may get another slot of its pool. If it does not fit, it stays as it is.',
  request: { params: BookingParams },
  isRepeatable: true,
  body: BookingChange,
  responses: { 200: answer('The booking.', ChangedBooking), ...unknown, ...bodyOperation },
});

const cancelOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'cancelBooking',
  right: 'reserve',
  summary: 'Cancel a booking',
  description: 'One that is running is released. If there is none, nothing happens: it is safe to retry.',
  request: { params: BookingParams },
  isRepeatable: true,
  responses: { 200: answer('How many have ended: 1, or 0.', CancelledBookings), ...parameterOperation },
});

const cancelSeriesOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/series/{id}`,
  operationId: 'cancelSeries',
  right: 'reserve',
  summary: 'Cancel a series',
  description: 'All its bookings that are not over, or those from a time on. One that is running is released.',
  request: { params: SeriesParams, query: SeriesQuery },
  isRepeatable: true,
  responses: { 200: answer('How many have ended.', CancelledBookings), ...parameterOperation },
});

const cancelAllOperation = operation({
  ...common,
  method: 'delete',
  path: PATH,
  operationId: 'cancelBookings',
  right: 'force',
  summary: 'Cancel all bookings of a resource',
  description: 'Of everybody, so that the resource can be deleted or registered anew. Those that run are released.',
  request: { query: CancelBookingsQuery },
  isRepeatable: true,
  responses: { 200: answer('How many have ended.', CancelledBookings), ...parameterOperation },
});

/**
 * The same for Hono, whose fast router takes no fixed text where another path has a parameter: so `series` is one, and
 * is checked as such.
 */
const cancelSeriesRoute = {
  ...cancelSeriesOperation,
  path: `${PATH}/{in}/{id}`,
  request: {
    ...cancelSeriesOperation.request,
    params: z.object({ in: z.literal('series', 'must be series'), ...SeriesParams.shape }),
  },
};

export const bookingOperations = [
  bookOperation,
  listOperation,
  changeOperation,
  cancelOperation,
  cancelSeriesOperation,
  cancelAllOperation,
];

export const bookingRoutes = (
  deps: Pick<OperationDeps, 'engine' | 'bookings' | 'activity' | 'metrics' | 'reads' | 'listings' | 'trail'>,
): readonly Route[] => [
  route(
    bookOperation,
    (call) => (isDryRun(call) ? dryBook : book)(deps, call.credential, call.body, call.idempotency),
    charged,
  ),
  route(
    listOperation,
    (call) => answerList(call, deps, () => listBookings(deps, call.credential, call.query), jsonRows()),
    asIs,
  ),
  route(
    changeOperation,
    (call) => changeBooking(deps, call.credential, call.params.id, call.body, call.idempotency),
    charged,
  ),
  route(
    cancelOperation,
    (call) => cancelBookings(deps, call.credential, { booking: call.params.id }, call.idempotency),
    charged,
  ),
  route(
    cancelSeriesRoute,
    (call) => cancelBookings(deps, call.credential, { series: call.params.id, ...call.query }, call.idempotency),
    charged,
  ),
  route(
    cancelAllOperation,
    (call) => cancelBookings(deps, call.credential, { resource: call.query.resource }, call.idempotency),
    charged,
  ),
];
