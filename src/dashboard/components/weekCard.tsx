/**
 * The week of a resource that can be booked: for each day, what is booked and by whom, and when it is free, each free
 * time as a link that books it.
 */
import type { Booking } from '../../contract/bookings.ts';
import { mayEnd } from '../../operations/permissions.ts';
import { bookPath, CANCEL } from '../bookings/paths.ts';
import { slotsOf, stretchOf } from '../bookings/read.ts';
import { type Day, LAST_WEEK, weekOf } from '../bookings/week.ts';
import type { Viewer } from '../env.ts';
import type { Details } from '../resource/resourceDetails.ts';
import { may } from '../viewer.ts';
import { clockText, dayText } from '../words/moments.ts';
import { BookingLinks } from './bookingLinks.tsx';
import { Note } from './person.tsx';

export interface WeekCardProps {
  readonly details: Details;
  readonly viewer: Viewer;
  /** 0: from today on */
  readonly week: number;
  readonly zone: string;
  readonly back: string;
  readonly link: (week: number) => string;
}

type Entry = ReturnType<typeof entriesOf>[number];

const entriesOf = (all: readonly Booking[]) => all.map((booking) => ({ booking, ...stretchOf(booking) }));

export const WeekCard = (props: WeekCardProps) => {
  const { details, viewer, week, zone, back, link } = props;
  const { name, bookings, state, slots, frame } = details;
  if (bookings === null) return null;
  const free = slotsOf({ slots, holds: state.holds }, bookings, viewer);
  const days = weekOf(entriesOf(bookings), free, week, zone, frame.nowMs);
  return (
    <section class="card" aria-labelledby="week-title" data-live="week">
      <header>
        <h2 id="week-title">Bookings</h2>
        <span class="meta">{zone === 'UTC' ? 'times of UTC' : 'your time'}</span>
        <nav class="end seg" aria-label="Weeks">
          {week > 0 && <a href={link(week - 1)}>Week before</a>}
          {week < LAST_WEEK && <a href={link(week + 1)}>Next week</a>}
        </nav>
      </header>
      <table class="week" aria-label={`Bookings of ${name}, by day`}>
        <tbody>
          {days.map((day) => (
            <tr>
              <th scope="row">{dayText(day.fromMs, zone)}</th>
              <td>
                <ul>
                  {day.entries.map((entry) => (
                    <DayEntry entry={entry} day={day} {...props} />
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {bookings.length > 0 && may(viewer, 'force') && (
        <p class="pad">
          <a href={`${CANCEL}/all?${new URLSearchParams({ resource: name, back })}`}>Cancel all bookings …</a>
        </p>
      )}
    </section>
  );
};

interface DayEntryProps extends WeekCardProps {
  readonly entry: Day<Entry>['entries'][number];
  readonly day: Day<Entry>;
}

const DayEntry = ({ entry, day, details: { name, nameOf, slots }, viewer, zone, back }: DayEntryProps) => {
  const clock = (ms: number) => clockText(ms, zone);
  /** `24:00` is easier to read than the midnight of the day after. */
  const range = (fromMs: number, toMs: number) =>
    `${clock(Math.max(fromMs, day.fromMs))}–${toMs >= day.toMs ? '24:00' : clock(toMs)}`;
  if ('free' in entry) {
    const { fromMs, toMs, suggestedMs } = entry.free;
    const text = `Free ${range(fromMs, toMs)}`;
    if (!may(viewer, 'reserve')) return <li class="meta">{text}</li>;
    return (
      <li>
        <a href={bookPath({ resource: name, from: String(suggestedMs), back })}>
          {text}
          <span class="out-of-sight"> on {dayText(day.fromMs, zone)}: book it</span>
        </a>
      </li>
    );
  }
  const { booking, fromMs, toMs } = entry.booked;
  const { requester, note, slot, state } = booking;
  return (
    <li class={nameOf(requester) === 'You' ? 'mine' : undefined}>
      <b>{range(fromMs, toMs)}</b> {nameOf(requester)}
      {slots.length > 1 && <span class="meta"> {slot}</span>}
      {state === 'DELAYED' && <span class="meta"> waits for a slot</span>}
      {note !== null && (
        <span class="meta">
          {' '}
          <Note text={note} />
        </span>
      )}
      {mayEnd(viewer.user, requester) && <BookingLinks booking={booking} back={back} on={dayText(day.fromMs, zone)} />}
    </li>
  );
};
