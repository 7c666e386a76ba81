/**
 * What a person can do with a booking that is theirs, or that they may end: change it, cancel it.
 */
import type { Booking } from '../../contract/bookings.ts';
import { bookingPath, CANCEL, CHANGE } from '../bookings/paths.ts';

export interface BookingLinksProps {
  readonly booking: Booking;
  readonly back: string;
  /** The day, for screen readers. */
  readonly on: string;
}

export const BookingLinks = ({ booking, back, on }: BookingLinksProps) => {
  const about = <span class="out-of-sight"> {`the booking of ${booking.slot} on ${on}`}</span>;
  return (
    <span class="actions">
      {booking.state === 'BOOKED' && (
        <a class="button" href={bookingPath(CHANGE, booking, back)}>
          Change
          {about}
        </a>
      )}
      <a class="button" href={bookingPath(CANCEL, booking, back)}>
        Cancel
        {about}
      </a>
    </span>
  );
};
