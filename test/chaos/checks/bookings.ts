/**
 * From its start to its end, a booked slot is its requester's (docs/specification.md#bookings). What the watcher of the
 * tenant reads is compared with what was booked, cancelled and released.
 */
import type { Check, Violation } from '../check.ts';
import type { Call, CallOf, FaultSeen, History } from '../history.ts';
import { groupBy } from './outcomes.ts';
import { limited, timeOf } from './seen.ts';

/** The ids of tenants with bookings begin with this. Their reservations begin without a call: see all.ts. */
const TENANT = 'booked';
/** That of the tenant whose callers make no calls once they have booked. */
const IDLE = 'booked-idle-';
/** Clocks of processes differ by so much, in ms. */
const CLOCK_MS = 50;
/** A cancel, a release and a start are in the database after 10 s (docs/specification.md#where-bookings-live). */
const COPIED_MS = 10_000;
/** A booking of a tenant that sends no calls begins so soon, in ms, after its start or the end of a fault. */
export const BEGUN_WITHIN_MS = 12_000;
/** For a worker that has to notice a failover, on a busy machine. */
const NOTICED_MS = 5000;

/** Returns true if a call is of a tenant with bookings. */
export const isOfBookings = ({ tenant }: { readonly tenant: string }): boolean => tenant.startsWith(TENANT);

/** A booking that was confirmed. Times are in ms. */
interface Booked {
  readonly id: string;
  readonly slot: string;
  readonly requester: string;
  readonly call: CallOf<'book'>;
  readonly start: number;
  readonly end: number;
  /** From when on it may have been cancelled or released, and from when on it certainly was; Infinity: never. */
  readonly overFrom: number;
  readonly overBy: number;
}

export const bookings: Check = {
  name: 'bookings',
  rule: 'From its start to its end a booked slot is its requester’s, and not before, nor after its cancel or release.',
  run: (history) => {
    const booked = bookedOf(history);
    const readings = history.calls.filter(
      (call): call is CallOf<'active'> => call.verb === 'active' && call.status === 200 && isOfBookings(call),
    );
    const wrong = booked.flatMap((one) => [
      ...misread(one, readings, history),
      ...begunTwice(one, history),
      ...begunLate(one, history),
    ]);
    return { looked: booked.length, violations: limited(wrong) };
  },
};

function bookedOf({ calls }: History): readonly Booked[] {
  const ends = groupBy(calls.flatMap(endsOf), ({ what }) => what);
  const found = new Map<string, Booked>();
  for (const call of calls) {
    if (call.verb !== 'book') continue;
    for (const { booking, slot, requester, start, end } of call.response?.bookings ?? []) {
      if (booking === null || slot === null || found.has(booking)) continue;
      const own = [...(ends.get(booking) ?? []), ...(ends.get(`${requester} ${slot}`) ?? [])];
      const overFrom = Math.min(Infinity, ...own.map((one) => one.call.invokedAt));
      const overBy = Math.min(Infinity, ...own.filter(({ isSure }) => isSure).map((one) => one.call.completedAt));
      const times = { start: Date.parse(start), end: Date.parse(end), overFrom, overBy };
      found.set(booking, { id: booking, slot, requester, call, ...times });
    }
  }
  return [...found.values()];
}

/** What a call may end: a booking by its id, or by its requester and slot. */
function endsOf(call: Call): readonly { what: string; call: Call; isSure: boolean }[] {
  if (call.verb === 'cancelBooking') return [{ what: call.request, call, isSure: (call.response?.cancelled ?? 0) > 0 }];
  if (call.verb !== 'unreserve') return [];
  return call.request.map(({ resource, requester }, i) => ({
    what: `${requester} ${resource}`,
    call,
    isSure: call.response?.[i]?.status === 'RELINQUISHED',
  }));
}

/** Readings that do not show what they must, or show what they must not. */
function misread(one: Booked, readings: readonly CallOf<'active'>[], history: History): readonly Violation[] {
  const { id, slot, requester, call, start, end, overFrom, overBy } = one;
  const at = (time: number) => timeOf(time, history.startedAt);
  for (const reading of readings) {
    if (reading.tenant !== call.tenant) continue;
    const { invokedAt, completedAt, response } = reading;
    const shown = response?.find(({ booking }) => booking === id);
    const mustShow =
      invokedAt > start + CLOCK_MS && invokedAt > call.completedAt && completedAt < Math.min(end - CLOCK_MS, overFrom);
    const mustNotShow = completedAt < start - CLOCK_MS || invokedAt > Math.min(end + CLOCK_MS, overBy);
    const isRight = mustShow ? shown?.resource === slot && shown.requester === requester : !(mustNotShow && shown);
    if (isRight || isExcused(one, reading, history)) continue;
    const has = shown ? `${shown.requester} has ${shown.resource}` : `nobody has it`;
    const what = `${requester} has booked ${slot} from ${at(start)}${overBy < Infinity ? `, and given it up at ${at(overBy)}` : ''}; at ${at(invokedAt)} ${has}`;
    return [{ check: 'bookings', what, calls: [call, reading] }];
  }
  return [];
}

const isLossy = ({ loses }: FaultSeen): boolean => loses !== 'nothing';
const isOf = (fault: FaultSeen, kind: string): boolean => fault.targets.some((target) => target.startsWith(kind));

/** Returns true if a fault explains what a reading shows of a booking. */
function isExcused({ call, overBy }: Booked, { invokedAt, completedAt }: Call, { faults, setup }: History): boolean {
  const before = faults.filter((fault) => fault.startedAt < completedAt);
  const hasDatabase = setup.startsWith('database');
  // What was noted in time for a copy is known to the database, if that and a worker were there.
  const away = before.filter((fault) => isOf(fault, 'postgres') || isOf(fault, 'worker'));
  const awayMs = away.reduce(
    (sum, { startedAt, healedAt, servedWithinMs }) => sum + healedAt - startedAt + servedWithinMs,
    0,
  );
  const noticedMs = COPIED_MS + NOTICED_MS + awayMs;
  return before.some((fault) => {
    const { clockStepMs, healedAt, loses, startedAt } = fault;
    if (clockStepMs !== 0) return healedAt + NOTICED_MS > call.invokedAt;
    if (!isLossy(fault)) return false;
    if (!hasDatabase)
      return healedAt > call.invokedAt - (loses === 'everything' || loses === 'nothing' ? 0 : loses.recentMs);
    // A cancel or a release that was not copied in time; the time until a worker has compared.
    const isUncopied = overBy < startedAt + NOTICED_MS && overBy > startedAt - noticedMs;
    return (
      isUncopied ||
      (loses !== 'everything' && invokedAt < healedAt + noticedMs && healedAt > call.invokedAt - COPIED_MS)
    );
  });
}

/** A booking begins once, unless Redis has lost that it began. */
function begunTwice(
  { id, call, slot, requester }: Booked,
  { streams, faults, startedAt }: History,
): readonly Violation[] {
  const lossy = faults.filter(isLossy);
  return streams.flatMap((stream) => {
    const begun = stream.events.filter(({ event }) => event.type === 'RESERVED' && event.booking === id);
    const [first, second] = begun;
    if (!first || !second || lossy.some(({ healedAt }) => healedAt + COPIED_MS + NOTICED_MS > first.receivedAt))
      return [];
    const at = timeOf(second.receivedAt, startedAt);
    return [{ check: 'bookings', what: `the booking of ${slot} by ${requester} begins again at ${at}`, calls: [call] }];
  });
}

/** A booking of a tenant that sends no calls begins in time, too: by the sweep, once Redis and a worker are there. */
function begunLate({ id, call, slot, requester, start }: Booked, history: History): readonly Violation[] {
  const { end, faults, startedAt } = history;
  const state = end.find(({ tenant }) => tenant === call.tenant);
  if (!call.tenant.startsWith(IDLE) || state === undefined) return [];
  const shown = state.active.find(({ booking }) => booking === id);
  const begunAt = shown === undefined ? Infinity : Date.parse(shown.reservedAt);
  const inTheWay = faults.filter((fault) => fault.startedAt < begunAt && fault.healedAt > start - BEGUN_WITHIN_MS);
  const ready = inTheWay.map(({ healedAt, servedWithinMs, clockStepMs }) => healedAt + servedWithinMs + clockStepMs);
  const latest = Math.max(start, ...ready) + BEGUN_WITHIN_MS;
  if (begunAt <= latest || state.readAt <= latest) return [];
  const when = shown === undefined ? 'has not begun' : `began at ${timeOf(begunAt, startedAt)}`;
  const what = `the booking of ${slot} by ${requester} from ${timeOf(start, startedAt)}, of a tenant that sends no calls, ${when}`;
  return [{ check: 'bookings', what, calls: [call] }];
}
