/** Bookings: a slot for a time ahead, and series. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

const HOUR_MS = 3_600_000;

/** A time of whole seconds, so many hours ahead. */
const ahead = (hours: number) => new Date(Math.ceil((Date.now() + hours * HOUR_MS) / 1000) * 1000).toISOString();

export async function booking({ record, key, owner }: Stage): Promise<void> {
  const names = ['pixel-9', 'pixel-10'];
  await record.quiet('registerResources', { by: key, body: names.map((name) => ({ name, bookable: true })) });
  const times = { start: ahead(24), end: ahead(26) };
  const one = { resource: 'pixel-9', requester: 'ann', ...times, note: 'demo' };
  const { body } = await record.show('Two hours, tomorrow', 'book', { by: key, body: { bookings: [one] } });
  const id = textAt(body, 'bookings', 0, 'booking');
  const other = { resource: 'pixel-9', requester: 'bo', ...times };
  await record.show('Somebody else has booked it', 'book', { by: key, body: { bookings: [other] } });
  // Three times, whichever day it is in Berlin by then.
  const until = ahead(24 + (2 * 7 + 3) * 24).slice(0, 10);
  const repeat = { every: 'week', until, timeZone: 'Europe/Berlin' };
  const series = { resource: 'pixel-10', requester: 'ann', ...times, repeat };
  const made = await record.show('A series', 'book', { by: key, body: { bookings: [series] } });
  await record.show('What is booked', 'listBookings', { by: key, query: '?resource=pixel-9' });
  const change = { start: ahead(27), end: ahead(28) };
  await record.show('Move it', 'changeBooking', { by: key, path: { id }, body: change });
  await record.show('Cancel it', 'cancelBooking', { by: key, path: { id } });
  await record.show('Cancel it again', 'cancelBooking', { by: key, path: { id } });
  const path = { id: textAt(made.body, 'bookings', 0, 'series') };
  await record.show('Cancel the whole series', 'cancelSeries', { by: key, path });
  await record.show('Cancel whatever is booked', 'cancelBookings', { by: owner, query: '?resource=pixel-9' });
}
