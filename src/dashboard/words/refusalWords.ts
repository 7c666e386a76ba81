/** Says in people's words why something could not be reserved, or booked. */

import type { BookedItem } from '../../contract/bookings.ts';
import type { CheckResult } from '../../contract/check.ts';
import type { ReserveResult } from '../../contract/reservations.ts';
import { reasonOf, refusalText } from '../../operations/refusalText.ts';
import type { Failed } from '../form.ts';
import type { NameOf } from '../people.ts';
import { momentText } from './moments.ts';

const DAY_MS = 86_400_000;

/** A time in a sentence: with its date if that is not near, and with its zone if that of the browser is not known. */
function timeText(iso: string, zone: string): string {
  const isNear = Math.abs(Date.parse(iso) - Date.now()) < DAY_MS;
  const time = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    timeStyle: 'short',
    ...(!isNear && { dateStyle: 'short' }),
  }).format(Date.parse(iso));
  return zone === 'UTC' ? `${time} UTC` : time;
}

/** The field of a form that a reason is about. */
const FIELDS: readonly (readonly [RegExp, string])[] = [[/^a note is required$/, 'note']];

/**
 * Returns who is in the way or what is wrong, how many wait, and the field that is wrong, if it is one.
 * @param state the resource as it is now; null: not known
 * @param zone of the browser, for times
 */
export function refusalOf(
  result: ReserveResult,
  state: CheckResult | null,
  zone: string,
): Pick<Failed, 'fault' | 'field'> {
  const field = FIELDS.find(([pattern]) => pattern.test(reasonOf(result)))?.[1];
  return { fault: refusalText(result, state?.waiting ?? 0, (iso) => timeText(iso, zone)), field };
}

/**
 * Says in people's words why something could not be booked.
 */
type Outcome = Pick<BookedItem, 'status' | 'explanation' | 'conflict'> & { readonly resource: string };

/** Which one is in the way, whose it is and until when; or what is wrong with the booking. */
export function whyNotBooked(one: Outcome, nameOf: NameOf, zone: string, nowMs: number): string {
  const { conflict, resource } = one;
  if (conflict === undefined) {
    const reason = reasonOf(one);
    return reason === '' ? 'It was not booked.' : `It was not booked: ${reason.replace(/[^.]$/, '$&.')}`;
  }
  const { kind, slot, requester, from, until, note } = conflict;
  const when = (iso: string) => momentText(Date.parse(iso), zone, nowMs);
  const who = requester === null ? 'several who share it' : nameOf(requester).replace(/^You$/, 'you');
  const end = until === null ? 'without an end' : `until ${when(until)}`;
  const begin = kind === 'BOOKING' ? `from ${when(from)} ` : '';
  const whole = slot.startsWith(`${resource}_`) ? `No slot of “${resource}” is free then: “${slot}”` : `“${slot}”`;
  const how = kind === 'BOOKING' ? 'booked' : 'held';
  return `${whole} is ${how} by ${who} ${begin}${end}${note === null ? '' : ` (${note})`}.`;
}
