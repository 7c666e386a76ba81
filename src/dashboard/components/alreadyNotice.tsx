/**
 * In the form that books: that whose booking it is has, or has booked, the same for the same time.
 */
import type { Already } from '../bookings/already.ts';
import { momentText, rangeText } from '../words/moments.ts';

export interface AlreadyNoticeProps {
  readonly already: Already;
  /** True if it is the person who books. */
  readonly isOwn: boolean;
  readonly zone: string;
}

export const AlreadyNotice = ({ already, isOwn, zone }: AlreadyNoticeProps) => {
  const { isHeld, slot, fromMs, toMs } = already;
  const who = isOwn ? 'You have' : 'They have';
  const until = toMs === Number.POSITIVE_INFINITY ? 'without an end' : `until ${momentText(toMs, zone, Date.now())}`;
  return (
    <p class="notice" id="already" role="alert">
      <strong>
        {isHeld
          ? `${who} ${slot} already, ${until}.`
          : `${who} booked ${slot} already, ${rangeText(fromMs, toMs, zone)}.`}
      </strong>{' '}
      Nothing is booked yet.
    </p>
  );
};
