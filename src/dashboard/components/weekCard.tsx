/**
 * The week of a resource that can be booked: for each day a line of what is booked and when it is free, each free time
 * as a link that books it; and below it who has booked.
 */
import type { Booking } from '../../contract/bookings.ts';
import { mayEnd } from '../../operations/permissions.ts';
import { bookPath, CANCEL } from '../bookings/paths.ts';
import { heldFor, slotsOf, stretchOf } from '../bookings/read.ts';
import { type Day, LAST_WEEK, weekOf } from '../bookings/week.ts';
import type { Viewer } from '../env.ts';
import type { NameOf } from '../people.ts';
import { holdingOf } from '../resource/facts.ts';
import type { Details } from '../resource/resourceDetails.ts';
import type { Stretch } from '../timeline/fit.ts';
import type { Bar, Holding } from '../timeline/rowFacts.ts';
import { BarView } from '../timeline/timeline.tsx';
import { may } from '../viewer.ts';
import { clockText, dayText, momentText } from '../words/moments.ts';
import { BookingLinks } from './bookingLinks.tsx';
import { LanesHead } from './lanesHead.tsx';

export interface WeekCardProps {
  readonly details: Details;
  readonly viewer: Viewer;
  /** 0: from today on */
  readonly week: number;
  readonly zone: string;
  readonly back: string;
  readonly link: (week: number) => string;
}

/** A booking, or a reservation that is not of a booking. */
type Entry = Stretch & ({ readonly booking: Booking } | { readonly holding: Holding });

/** Returns the bookings. If the resource has one slot, its current reservation comes first. */
function entriesOf({ name, slots, state, frame, nameOf }: Details, bookings: readonly Booking[]): Entry[] {
  const hasBegun = bookings.some((one) => one.state === 'RUNNING');
  const holds = slots.length > 1 || hasBegun ? [] : state.holds.filter(({ slot }) => slot === name);
  return [
    ...holds.map(({ hold }) => {
      const holding = holdingOf(hold, 0, nameOf);
      return { holding, fromMs: holding.fromMs ?? frame.nowMs, toMs: heldFor(hold).toMs };
    }),
    ...bookings.map((booking) => ({ booking, ...stretchOf(booking) })),
  ];
}

export const WeekCard = (props: WeekCardProps) => {
  const { details, viewer, week, zone, back, link } = props;
  const { name, bookings, state, slots, frame } = details;
  if (bookings === null) return null;
  const taken = slotsOf({ slots, holds: state.holds }, bookings);
  const days = weekOf(entriesOf(details, bookings), taken, week, zone, frame.nowMs);
  return (
    <section class="card" aria-labelledby="week-title" data-live="week">
      <header>
        <h2 id="week-title">Bookings</h2>
        <span class="meta">
          {zone === 'UTC' ? 'times of UTC' : 'your time'}
          {may(viewer, 'reserve') && <span class="wide-only">; a free time opens the form that books it</span>}
        </span>
        <nav class="end actions" aria-label="Weeks">
          {week > 0 && (
            <a class="button" href={link(week - 1)}>
              Week before
            </a>
          )}
          {week < LAST_WEEK && (
            <a class="button" href={link(week + 1)}>
              Next week
            </a>
          )}
        </nav>
      </header>
      <table class="lanes week" aria-label={`Bookings of ${name}, by day`}>
        <LanesHead of="Day" axis={<HourAxis />} />
        <tbody>
          {days.map((day) => (
            <tr>
              <th scope="row">{dayText(day.fromMs, zone)}</th>
              <td class="track">
                <DayLine day={day} {...props} />
                <ul>
                  {day.entries.map(
                    (entry) => 'booked' in entry && <DayEntry entry={entry.booked} day={day} {...props} />,
                  )}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {bookings.length > 0 && may(viewer, 'force') && (
        <p class="pad">
          <a class="button danger" href={`${CANCEL}/all?${new URLSearchParams({ resource: name, back })}`}>
            Cancel all bookings …
          </a>
        </p>
      )}
    </section>
  );
};

/** The hours of a day that its line marks. */
const HOURS = [0, 6, 12, 18];
const LINE = 40;
const BAR = 26;

const HourAxis = () => (
  <svg class="axis" height="34" role="img" aria-label="Time, by the hour">
    {HOURS.map((hour) => (
      <text x={`${(hour / 24) * 100}%`} y="21" dx="4">
        {String(hour).padStart(2, '0')}:00
      </text>
    ))}
  </svg>
);

interface DayProps extends WeekCardProps {
  readonly day: Day<Entry>;
}

/** `15:00–18:00` of a day. `24:00` is easier to read than the midnight of the day after. */
const rangeOf = ({ fromMs, toMs }: Stretch, day: Day<Entry>, zone: string): string =>
  `${clockText(Math.max(fromMs, day.fromMs), zone)}–${toMs >= day.toMs ? '24:00' : clockText(toMs, zone)}`;

/** A day from midnight to midnight as a line of bars. Those that are free are links that book them. */
const DayLine = (props: DayProps) => {
  const { day, details, viewer, zone, back } = props;
  const { name, nameOf, slots } = details;
  // Of a pool, a time can be free and booked: what is free stands above.
  const height = slots.length > 1 ? BAR / 2 : BAR;
  const placeOf = (ms: number) => Math.min(100, Math.max(0, ((ms - day.fromMs) / (day.toMs - day.fromMs)) * 100));
  const barOf = (one: Stretch, kind: Bar['kind'], text: string): Bar => ({
    ...{ kind, text, lane: 0, fades: false, from: placeOf(one.fromMs), to: placeOf(one.toMs) },
    isCutLeft: one.fromMs < day.fromMs,
    isCutRight: one.toMs > day.toMs,
  });
  const view = { height, isLane: slots.length > 1, room: 0 };
  const top = (LINE - BAR) / 2;
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: its links have titles, and what is booked stands below
    <svg class="line" height={LINE}>
      {HOURS.map((hour) => (
        <line class="mark" x1={`${(hour / 24) * 100}%`} x2={`${(hour / 24) * 100}%`} y2="100%" />
      ))}
      {day.entries.map((entry) => {
        if ('booked' in entry) {
          const bar = barOf(entry.booked, ...labelOf(entry.booked, nameOf));
          return <BarView bar={bar} y={top + BAR - height} {...view} />;
        }
        const text = `Free ${rangeOf(entry.free, day, zone)}`;
        const bar = <BarView bar={barOf(entry.free, 'free', text)} y={top} {...view} />;
        if (!may(viewer, 'reserve')) return bar;
        return (
          // A title, not a label: the bar may have to cut its text within a word, which a label would have to contain.
          <a href={bookPath({ resource: name, from: String(entry.free.suggestedMs), back })}>
            <title>{`${text} on ${dayText(day.fromMs, zone)}: book it`}</title>
            {bar}
          </a>
        );
      })}
    </svg>
  );
};

/** Returns the kind and the text of an entry's bar. */
function labelOf(entry: Entry, nameOf: NameOf): [Bar['kind'], string] {
  if ('holding' in entry) return [entry.holding.kind, entry.holding.who + endOf(entry.holding)];
  const who = nameOf(entry.booking.requester);
  return [who === 'You' ? 'mine' : 'booked', who];
}

const endOf = ({ toMs, isKept = false }: Holding): string =>
  isKept ? ', while its session lasts' : toMs === null ? ', no end' : '';

interface EntryProps extends DayProps {
  readonly entry: Entry;
}

const DayEntry = (props: EntryProps) => {
  const { entry, day, details, zone } = props;
  if ('booking' in entry) return <DayBooking {...props} booking={entry.booking} times={entry} />;
  const { nowMs } = details.frame;
  // The other days that it reaches into have its bar.
  if (nowMs < day.fromMs || nowMs >= day.toMs) return null;
  const { who, note, toMs } = entry.holding;
  const end = endOf(entry.holding) || `, until ${momentText(toMs ?? 0, zone, nowMs)}`;
  return (
    <li>
      <span>
        <b>Held now</b> {who}
        {end}
        {note !== undefined && <span class="meta"> {note}</span>}
      </span>
    </li>
  );
};

interface DayBookingProps extends DayProps {
  readonly booking: Booking;
  readonly times: Stretch;
}

const DayBooking = ({ booking, times, day, details: { nameOf, slots }, viewer, zone, back }: DayBookingProps) => {
  const { requester, note, slot, state } = booking;
  return (
    <li>
      <span>
        <b>{rangeOf(times, day, zone)}</b> {nameOf(requester)}
        {slots.length > 1 && <span class="meta"> {slot}</span>}
        {state === 'DELAYED' && <span class="meta"> waits for a slot</span>}
        {note !== null && <span class="meta"> {note}</span>}
      </span>
      {mayEnd(viewer.user, requester) && <BookingLinks booking={booking} back={back} on={dayText(day.fromMs, zone)} />}
    </li>
  );
};
