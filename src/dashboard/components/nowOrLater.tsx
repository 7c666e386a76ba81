/**
 * The switch between the form that reserves now and the one that books a time ahead, of what can be booked.
 */
import { bookPath } from '../bookings/paths.ts';
import { actionPath } from '../paths.ts';

export interface NowOrLaterProps {
  readonly resource: string;
  readonly back: string;
  readonly at: 'now' | 'later';
}

export const NowOrLater = ({ resource, back, at }: NowOrLaterProps) => (
  <nav class="seg" aria-label="When">
    <a href={actionPath('reserve', { resource, back })} aria-current={at === 'now' ? 'true' : undefined}>
      Now
    </a>
    <a href={bookPath({ resource, back })} aria-current={at === 'later' ? 'true' : undefined}>
      Later
    </a>
  </nav>
);
