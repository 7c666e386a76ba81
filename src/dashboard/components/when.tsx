/**
 * A time for people: relative to now, or absolute. The absolute time of a relative one is its title, which style sheets
 * also show while it has the focus, by keyboard or touch. assets/times.js turns both into the browser's zone and
 * language, and keeps relative times fresh; without it they are in UTC.
 */
import { relative } from '../assets/span.js';

export interface WhenProps {
  /** ISO 8601 UTC, or ms since 1970 UTC; null shows `none` */
  readonly at: string | number | Date | null | undefined;
  /**
   * `since`: how long ago (`12 min`). `in`: how long until then (`2 h 5 min`; `0 s` if it has passed). `ago`: either,
   * in words (`3 d ago`, `in 3 d`). `at`: the absolute time. `clock`: to the minute, with the day if it is not today
   * (`14:29`, `Fri 14:29`). `day`: to the minute if it is today, else only the day (`14:29`, `Friday`, `23 Jan`).
   * `time`, `second`: the time of the day, in lists with heads of days
   */
  readonly as: 'since' | 'in' | 'ago' | 'at' | 'clock' | 'day' | 'time' | 'second';
  readonly none?: string;
}

export const When = ({ at, as, none = '–' }: WhenProps) => {
  if (at === null || at === undefined) return <>{none}</>;
  const date = new Date(at);
  const iso = date.toISOString();
  const absolute = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  if (as === 'at')
    return (
      <time datetime={iso} data-as={as}>
        {absolute}
      </time>
    );
  if (as === 'time' || as === 'second')
    return (
      <time datetime={iso} data-as={as}>
        {iso.slice(11, as === 'time' ? 16 : 19)}
      </time>
    );
  return (
    <time datetime={iso} data-as={as} title={absolute} tabindex={0}>
      {as === 'clock' || as === 'day' ? clock(iso) : relative(as, date.getTime(), Date.now())}
    </time>
  );
};

/** The time of day of a time today, in UTC; else with the date. */
const clock = (iso: string): string => {
  const [date = ''] = new Date().toISOString().split('T');
  return `${iso.startsWith(date) ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, 16)} UTC`;
};

/**
 * A time to the minute within a sentence or a button, where nothing may take the focus. assets/times.js turns it into
 * the browser's zone; without it, it is in UTC.
 */
export const Clock = ({ at }: { at: number | string }) => {
  const iso = new Date(at).toISOString();
  const isToday = iso.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return (
    <time datetime={iso} data-as="clock">
      {isToday ? '' : `${iso.slice(0, 10)} `}
      {iso.slice(11, 16)} UTC
    </time>
  );
};
