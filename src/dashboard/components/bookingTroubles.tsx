/**
 * On the Board and on Mine: the person's bookings that are not as they booked them, and what they can do about each.
 */
import { anotherPath, bookingPath, CANCEL } from '../bookings/paths.ts';
import type { Trouble, Viewer } from '../env.ts';
import { conditionPhrase } from '../words/conditionWords.ts';
import { number } from '../words/numbers.ts';
import { resourcePath } from './resourceTree.tsx';
import { Dot } from './stateMark.tsx';
import { When } from './when.tsx';

/** An empty part stays in the page, so that a booking appears while the page is open. */
export const BookingTroubles = ({ viewer }: { viewer: Viewer }) => (
  <div data-live="troubles" class="turns">
    {viewer.troubles.map((trouble) => (
      <TroubleLine {...trouble} back={viewer.page} />
    ))}
  </div>
);

const TroubleLine = ({ booking, later, out, back }: Trouble & { back: string }) => {
  const { slot, resource, start, state } = booking;
  const about = <span class="out-of-sight">: {slot}</span>;
  return (
    <div class="turn">
      <Dot of={out === null ? 'busy' : 'out'} />
      <p>
        <strong>
          <a href={resourcePath(resource)}>{slot}</a>, which you booked for <When at={start} as="clock" />,{' '}
          {out === null ? 'is still in use' : conditionPhrase('out')}
        </strong>
        {out?.reason !== undefined && `: ${out.reason}`}.{' '}
        <span class="meta">
          {state === 'DELAYED' && 'You get it as soon as it is free. '}
          {later > 0 &&
            `You have ${number(later)} more ${later === 1 ? 'booking' : 'bookings'} of it in the next 7 days.`}
        </span>
      </p>
      <div class="end">
        <a class="button" id={`cancel-${booking.booking}`} href={bookingPath(CANCEL, booking, back)}>
          Cancel{about}
        </a>
        <a class="button primary" id={`another-${booking.booking}`} href={anotherPath(booking, back)}>
          Book another{about}
        </a>
      </div>
    </div>
  );
};
