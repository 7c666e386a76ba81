/**
 * What the timeline of a resource shows of its bookings. No I/O and no markup. Times are ms since 1970 UTC.
 */
import { type Frame, placeOf } from './frame.ts';
import type { Bar, RowFacts } from './rowFacts.ts';

export const bookedBars = ({ bookings = [] }: Pick<RowFacts, 'bookings'>, frame: Frame): Bar[] =>
  bookings
    .filter(({ fromMs, toMs }) => fromMs < frame.toMs && toMs > frame.nowMs)
    .map(({ slot, who, note, fromMs, toMs }) => ({
      kind: 'booked',
      lane: slot,
      text: note === undefined ? who : `${who} · ${note}`,
      from: placeOf(frame, fromMs),
      to: placeOf(frame, toMs),
      isCutLeft: fromMs < frame.fromMs,
      isCutRight: toMs > frame.toMs,
      fades: false,
    }));
