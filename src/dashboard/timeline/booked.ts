/**
 * What the timeline of a resource shows of its bookings. No I/O and no markup. Times are ms since 1970 UTC.
 */
import { hoursText, rangeText } from '../words/moments.ts';
import { type Frame, isLong, placeOf } from './frame.ts';
import type { Bar, Booked, RowFacts } from './rowFacts.ts';

export const bookedBars = ({ bookings = [] }: Pick<RowFacts, 'bookings'>, frame: Frame): Bar[] =>
  bookings
    .filter(({ fromMs, toMs }) => fromMs < frame.toMs && toMs > frame.nowMs)
    .map(({ slot, who, note, fromMs, toMs }) => ({
      kind: 'booked',
      lane: slot,
      text: [who, timesOf({ fromMs, toMs }, frame), ...(note === undefined ? [] : [note])].join(' · '),
      from: placeOf(frame, fromMs),
      to: placeOf(frame, toMs),
      isCutLeft: fromMs < frame.fromMs,
      isCutRight: toMs > frame.toMs,
      fades: false,
    }));

const DAY_MS = 86_400_000;

/** `09:00–11:00`, where the axis says the day; else with the days. */
function timesOf({ fromMs, toMs }: Pick<Booked, 'fromMs' | 'toMs'>, frame: Frame): string {
  const text = isLong(frame) || toMs - fromMs >= DAY_MS ? rangeText : hoursText;
  return text(fromMs, toMs, frame.zone);
}

/** Bookings that the words of a row name. */
const MAX_NAMED = 5;

/** `Booked: bob · Fri 27 Nov, 09:00–11:00, eve · …`, for the label of a row; false: there are none */
export function bookedText(
  { bookings = [] }: Pick<RowFacts, 'bookings'>,
  { zone }: Pick<Frame, 'zone'>,
): string | false {
  if (bookings.length === 0) return false;
  const named = bookings
    .slice(0, MAX_NAMED)
    .map(({ who, fromMs, toMs }) => `${who} ${rangeText(fromMs, toMs, zone)}`)
    .join('; ');
  const more = bookings.length - MAX_NAMED;
  return `Booked: ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
