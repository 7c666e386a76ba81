/**
 * Example calls of the verbs of bookings (exampleCalls.ts).
 */
import type { Verb } from '../../src/redis/verbs.ts';
import type { ExampleCall } from './exampleCalls.ts';

type Args = ExampleCall['args'];
const id = (n: number) => String(n).padStart(22, 'B');
const call = (verb: Verb, args: Args, title: string = verb): ExampleCall => ({ title, verb, args });

/** An item to book for a minute from so many s on. */
function booking(resource: string, n: number, startS: number, options = '', claimWithin: string | number = ''): Args {
  return [resource, 'alice', startS, startS + 60, id(n), id(n + 1), '', claimWithin, id(99), options];
}

/** A copy of one that Redis has lost, and whose slot another one has by now. */
function restored(n: number, startMs: number): Args {
  const start = startMs / 1000 + 600;
  const rest = { token: id(n + 1), type: '', label: '', bookedAt: startMs, resets: 0, begun: start, rev: startMs };
  const record = {
    resource: 'phones',
    slot: 'phones_0',
    requester: 'bob',
    start,
    end: start + 60,
    state: 'r',
    ...rest,
  };
  return [id(n), startMs, JSON.stringify(record)];
}

/**
 * Makes a booking that has not begun, one that runs, one that begins after 50 s, and one that is delayed, of the pool
 * `phones`.
 * @param startMs ms since 1970 UTC
 */
export function madeBookings(startMs: number): ExampleCall[] {
  const startS = startMs / 1000;
  const items = [
    ...booking('phones', 60, startS + 600),
    ...booking('phones_0', 62, startS, '{"note":"now"}', 60),
    ...booking('phones_1', 64, startS + 50),
    ...booking('phones_2', 66, startS),
  ];
  return [call('setCondition', ['', 'phones_2', 'out', '']), call('book', ['', '', ...items]), call('sweep', [])];
}

/** Calls of each verb, for a tenant with these. */
export function bookingCalls(startMs: number): ExampleCall[] {
  const startS = startMs / 1000;
  const [any, one] = [booking('phones', 70, startS + 600), booking('phones_0', 72, startS + 600)];
  const byLabels = booking('os=phone', 74, startS + 900, '{"match":"os=phone"}');
  return [
    call('book', ['', 1, ...any, ...one, ...byLabels]),
    call('book', ['', '', ...any, ...one], 'book in vain'),
    call('bookingChanges', [10]),
    call('bookingChanges', ['of', id(60), id(98)], 'bookingChanges of some'),
    call('bookings', [1, '', 10, 'phones', '', '', '']),
    call('cancelBookings', ['', '', `e${id(99)}`, '', '']),
    { ...call('cancelBookings', ['', '', 'rphones', '', ''], 'cancel bookings, by a person'), isPerson: true },
    call('changeBooking', ['', id(60), '', startS + 700, '=longer', '']),
    call('dropBookingChanges', [id(60), startMs, id(98), startMs]),
    call('logBookings', ['0']),
    call('restoreBookings', [
      'lease',
      60_000,
      ...restored(80, startMs),
      id(64),
      startMs + 1,
      '',
      id(62),
      startMs - 1,
      '',
    ]),
    call('takeBackBookings', [1, id(60), id(62)]),
  ];
}
