/**
 * Operations on bookings (docs/specification.md#bookings): book, change and cancel.
 */
import { randomUUID } from 'node:crypto';
import type { BookBody, BookingChange, BookingItem, BookResult, ChangedBooking } from '../contract/bookings.ts';
import { MAX_BOOKINGS_OF_CALL } from '../domain/bookings.ts';
import { afterCharge, HoldfastError } from '../domain/errors.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { EngineBooking, Taken, WhichBookings } from '../engine/bookings.ts';
import { charged, chargeRepeat, countItems, countUse, countWhole } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { refuseOthersNames } from './permissions.ts';

type BookingDeps = Pick<OperationDeps, 'engine' | 'bookings' | 'activity' | 'metrics' | 'reads' | 'trail'>;

/**
 * Books slots for a time ahead, all or none (docs/specification.md#booking). Costs one write for each booking.
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each booking, those of series counted out, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if a series has no bookings, or the request
 * too many; LimitError
 */
export async function book(
  deps: BookingDeps,
  credential: Credential,
  { bookings, skipConflicts = false }: BookBody,
  idempotency?: Idempotency,
): Promise<Charged<BookResult>> {
  const request = { bookings: await countedOut(bookings), skipConflicts };
  await refuseOthersNames(deps.engine, credential, bookings);
  const pending = deps.bookings.book(credential, request, { idempotency });
  return countItems(
    deps,
    credential,
    'book',
    chargeRepeat(deps, credential, idempotency, pending),
    (result) => result.bookings,
  );
}

/**
 * Asks what book() would do, without doing it (docs/specification.md#asking-without-doing). Costs one read for each
 * booking.
 * @throws as book()
 */
export async function dryBook(
  deps: Pick<OperationDeps, 'engine' | 'bookings' | 'activity' | 'reads'>,
  credential: Credential,
  { bookings, skipConflicts = false }: BookBody,
): Promise<Charged<BookResult>> {
  const request = { bookings: await countedOut(bookings), skipConflicts };
  await refuseOthersNames(deps.engine, credential, bookings);
  const charging = deps.reads.charge(credential, 'reserve', request.bookings.length);
  return countUse(
    deps,
    credential,
    charged(charging, async () => {
      const { result } = await deps.bookings.book(credential, request, { isDry: true });
      return { ...result, bookings: result.bookings.map((one) => ({ ...one, booking: null })) };
    }),
  );
}

/**
 * Counts series out (docs/specification.md#series).
 * @throws HoldfastError refused
 */
async function countedOut(items: readonly BookingItem[]): Promise<EngineBooking[]> {
  const all: EngineBooking[] = [];
  for (const [i, { repeat, ...one }] of items.entries()) {
    if (repeat === undefined) all.push(one);
    else {
      // Its library takes memory, and few bookings repeat.
      const { occurrences } = await import('../domain/series.ts');
      const times = occurrences(one.start, one.end, repeat, MAX_BOOKINGS_OF_CALL);
      if (times.length === 0)
        throw new HoldfastError('refused', `bookings[${i}].repeat has no day from start to until`);
      const series = randomUUID();
      all.push(...times.map((time) => ({ ...one, ...time, series })));
    }
    if (all.length > MAX_BOOKINGS_OF_CALL)
      throw new HoldfastError('refused', `bookings[${i}] takes the request over ${MAX_BOOKINGS_OF_CALL} bookings`);
  }
  return all;
}

/**
 * Changes the times or the note of a booking that has not begun (docs/specification.md#booking).
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unknown; unauthenticated, unavailable; forbidden, also if it is of somebody else; LimitError
 */
export async function changeBooking(
  deps: BookingDeps,
  credential: Credential,
  booking: string,
  change: BookingChange,
  idempotency?: Idempotency,
): Promise<Charged<ChangedBooking>> {
  const pending = deps.bookings.changeBooking(credential, booking, change, idempotency);
  const { result, ...done } = await countWhole(
    deps,
    credential,
    1,
    chargeRepeat(deps, credential, idempotency, pending),
  );
  return afterCharge(done.quota, async () => {
    if (result === null) throw new HoldfastError('unknown', 'There is no such booking, or it is over.');
    return { ...done, result };
  });
}

/**
 * Cancels a booking, a series, or all bookings of a resource (docs/specification.md#booking).
 * @param idempotency its Idempotency-Key, if it has one
 * @returns how many have ended
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also if one is of somebody else; LimitError
 */
export async function cancelBookings(
  { trail, ...deps }: BookingDeps,
  credential: Credential,
  which: WhichBookings,
  idempotency?: Idempotency,
): Promise<Charged<{ cancelled: number }>> {
  const taken: Taken = new Map();
  try {
    const pending = deps.bookings.cancelBookings(credential, which, taken, idempotency);
    const charging = chargeRepeat(deps, credential, idempotency, pending);
    const { result: cancelled, ...done } = await countWhole(deps, credential, 1, charging);
    return { ...done, result: { cancelled } };
  } finally {
    for (const [requester, resource] of taken)
      trail?.note(credential, { action: 'booking.cancel', details: { resource, requester } });
  }
}
