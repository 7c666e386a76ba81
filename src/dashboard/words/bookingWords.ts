/**
 * Says in people's words why something could not be booked.
 */
import type { BookedItem } from '../../contract/bookings.ts';
import { reasonOf } from '../../operations/refusalText.ts';
import type { NameOf } from '../people.ts';
import { momentText } from './moments.ts';

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
