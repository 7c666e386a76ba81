/**
 * On Mine: what the person has booked, the first to begin first, and "I am here" for a booking that would end without
 * them.
 */
import type { Booking } from '../../contract/bookings.ts';
import type { ResourceState } from '../../engine/reservations/states.ts';
import { bookPath, HERE } from '../bookings/paths.ts';
import { dayText, rangeText } from '../words/moments.ts';
import { number } from '../words/numbers.ts';
import { BookingLinks } from './bookingLinks.tsx';
import { HiddenFields } from './hiddenFields.tsx';
import { resourcePath } from './resourceTree.tsx';
import { idOf } from './rowActions.tsx';
import { StateMark } from './stateMark.tsx';
import { When } from './when.tsx';

export interface BookedCardProps {
  readonly booked: readonly Booking[];
  /** Resource → its state; without a state, nothing is said of it. */
  readonly states: ReadonlyMap<string, Pick<ResourceState, 'notReady'> | undefined>;
  readonly zone: string;
  readonly back: string;
}

/** True if it ends unless the person says that they have come. */
export const mustBeClaimed = ({ state, isClaimed }: Booking): boolean => state === 'RUNNING' && isClaimed === false;

export const BookedCard = ({ booked, states, zone, back }: BookedCardProps) => (
  <section class="card" aria-labelledby="booked-title">
    <header>
      <h2 id="booked-title">What you have booked</h2>
      {booked.length > 0 && <span class="meta">{booked.length}</span>}
      <a class="end button" href={bookPath({ back })}>
        Book …
      </a>
    </header>
    {booked.length === 0 ? (
      <p class="pad">Nothing.</p>
    ) : (
      <ul class="own">
        {foldSeries(booked).map(([one, ...later]) => (
          <BookedRow one={one} later={later} states={states} zone={zone} back={back} />
        ))}
      </ul>
    )}
  </section>
);

/** The bookings of a series together, in place of its first one. */
function foldSeries(booked: readonly Booking[]): [Booking, ...Booking[]][] {
  const all = new Map<string, [Booking, ...Booking[]]>();
  for (const one of booked) {
    const { series = one.booking } = one;
    const known = all.get(series);
    if (known === undefined) all.set(series, [one]);
    else known.push(one);
  }
  return [...all.values()];
}

interface BookedRowProps extends Pick<BookedCardProps, 'states' | 'zone' | 'back'> {
  readonly one: Booking;
  /** The others of its series. */
  readonly later?: readonly Booking[];
}

const BookedRow = ({ one, later = [], states, zone, back }: BookedRowProps) => {
  const last = later.at(-1);
  const { booking, resource, slot, start, end, note, series, state } = one;
  const out = states.get(resource)?.notReady.find((not) => not.slot === slot && not.condition === 'out');
  return (
    <li id={`booked-${booking}`} data-name={resource}>
      <div>
        <p class="big">
          <a href={resourcePath(resource)}>{resource}</a>
          {slot !== resource && <span class="meta"> {slot}</span>}
          {series !== undefined && <span class="meta"> repeated</span>}
        </p>
        {note !== null && <p class="note">{note}</p>}
        {out !== undefined && (
          <p>
            <StateMark mark="out" /> <span class="meta">{out.reason ?? ''}</span>
          </p>
        )}
      </div>
      <div>
        <p>{rangeText(Date.parse(start), Date.parse(end), zone)}</p>
        <p class="meta">
          <StateText one={one} />
        </p>
      </div>
      <div class="actions">
        {mustBeClaimed(one) && (
          <form method="post" action={HERE}>
            <HiddenFields fields={{ booking, resource, back }} />
            <button type="submit" class="primary" id={`here-${idOf(booking)}`}>
              I am here<span class="out-of-sight">: {resource}</span>
            </button>
          </form>
        )}
        {state !== 'RUNNING' || mustBeClaimed(one) ? (
          <BookingLinks booking={one} back={back} on={dayText(Date.parse(start), zone)} />
        ) : null}
      </div>
      {last !== undefined && (
        <details id={`later-${booking}`}>
          <summary>
            {number(later.length)} more, the last on {dayText(Date.parse(last.start), zone)}
          </summary>
          <ul class="own">
            {later.map((other) => (
              <BookedRow one={other} states={states} zone={zone} back={back} />
            ))}
          </ul>
        </details>
      )}
    </li>
  );
};

const StateText = ({ one }: { one: Booking }) => {
  const { state, start, claimWithinSeconds = 0 } = one;
  if (state === 'DELAYED') return <>waits for a slot: all are in use or out of service</>;
  if (mustBeClaimed(one))
    return (
      <>
        ends at <When at={Date.parse(start) + claimWithinSeconds * 1000} as="clock" /> unless you are here
      </>
    );
  return (
    <>
      begins in <When at={start} as="in" />
    </>
  );
};
