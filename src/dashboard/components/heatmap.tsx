/**
 * A heatmap of weekday and hour. assets/days.js puts its cells where they belong in the zone of the browser; without it
 * they are in UTC. Of several weeks it has the means.
 */
import type { HourShare } from '../../operations/insight.ts';
import { percent } from '../words/numbers.ts';
import { shown, UTC } from '../zone.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = [0, 6, 12, 18];
const WEEK_HOURS = 168;
/** The least shares of the classes 1 to 4. */
const CLASSES = [0.01, 0.25, 0.5, 0.75];

/** The class of a share, 0 to 4. */
export const classOf = (share: number): number => CLASSES.filter((least) => share >= least).length;

interface HeatmapProps {
  readonly label: string;
  readonly hours: readonly HourShare[];
  /** The share that counts as all. */
  readonly most?: number;
}

export const Heatmap = ({ label, hours, most = 1 }: HeatmapProps) => (
  <svg class="heat" viewBox="0 0 268 98" role="img" aria-label={`${label}: ${busiest(hours)}`}>
    {DAYS.map((day, i) => (
      <text x="0" y={9 + 12 * i}>
        {day}
      </text>
    ))}
    {ofOneWeek(hours).map(({ startMs, share }) => {
      const at = new Date(startMs);
      const day = (at.getUTCDay() + 6) % 7;
      return (
        <rect
          class={`h${classOf(share / most)}`}
          x={28 + 10 * at.getUTCHours()}
          y={12 * day}
          width="9"
          height="11"
          rx="2"
          data-at={startMs}
          data-share={percent(share)}
        >
          <title>
            {DAYS[day]} {at.getUTCHours()}:00 UTC: {percent(share)}
          </title>
        </rect>
      );
    })}
    {HOURS.map((hour) => (
      <text x={28 + 10 * hour} y="96">
        {hour}:00
      </text>
    ))}
  </svg>
);

/** Each hour of the last week, with the mean of the same hours of all weeks. */
function ofOneWeek(hours: readonly HourShare[]): HourShare[] {
  return hours.slice(-WEEK_HOURS).map(({ startMs }, i, last) => {
    const first = (hours.length - last.length + i) % WEEK_HOURS;
    const same = hours.filter((_, at) => at >= first && (at - first) % WEEK_HOURS === 0);
    return { startMs, share: same.reduce((sum, { share }) => sum + share, 0) / same.length };
  });
}

/**
 * The weekday, and the four hours of the day, in which most was in use, in words.
 * @param zone whose clocks count, as they stand now
 */
export function busiest(hours: readonly HourShare[], zone = UTC): string {
  const now = Date.now();
  const ahead = shown(now, zone) - Math.floor(now / 1000) * 1000;
  const [days, clock] = [DAYS.map(() => 0), Array.from({ length: 24 }, () => 0)];
  for (const { startMs, share } of ofOneWeek(hours)) {
    const at = new Date(startMs + ahead);
    const [day, hour] = [(at.getUTCDay() + 6) % 7, at.getUTCHours()];
    days[day] = (days[day] ?? 0) + share / 24;
    clock[hour] = (clock[hour] ?? 0) + share / 7;
  }
  const most = Math.max(...days);
  if (most === 0) return 'never';
  const spans = clock.map((_, from) =>
    [0, 1, 2, 3].reduce((sum, more) => sum + (clock[(from + more) % 24] ?? 0) / 4, 0),
  );
  const from = spans.indexOf(Math.max(...spans));
  const on = `most on ${DAYS[days.indexOf(most)]} (${percent(most)})`;
  return `${on}, and from ${from}:00 to ${(from + 4) % 24 || 24}:00 (${percent(spans[from] ?? 0)})`;
}
