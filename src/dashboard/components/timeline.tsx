/**
 * A timeline of a resource's slots as a picture, drawn on the server, and as a table.
 */
import { hash } from 'node:crypto';
import { span as spanText } from '../assets/span.js';
import { type Bar, type Span, type Strip, type Timeline, ticksOf } from '../resource/timeline.ts';
import { howItEnded } from '../words/historyWords.ts';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

/** Units of the picture. */
const NAME = 150;
const CHART = 810;
const WIDTH = NAME + CHART;
const LANE = 20;
const GAP = 8;
const AXIS = 24;
const LETTER = 7.2;
const MIN_BAR = 2;
/** Rows of the table. */
const MAX_ROWS = 200;
const COLORS = 6;

export interface TimelineViewProps {
  readonly timeline: Timeline;
  /** What the picture is of, for those who do not see it. */
  readonly label: string;
}

export const TimelineView = ({ timeline, label }: TimelineViewProps) => {
  const { strips, spans, leftOut } = timeline;
  let y = 0;
  const placed = strips.map((strip) => {
    const top = y;
    y += Math.max(1, strip.lanes.length) * LANE + GAP;
    return { strip, top };
  });
  return (
    <figure class="timeline">
      <Scroll label={label}>
        <svg role="img" aria-label={`${label}. The same as a table follows.`} viewBox={`0 0 ${WIDTH} ${y + AXIS}`}>
          <Axis timeline={timeline} height={y} />
          {placed.map(({ strip, top }) => (
            <StripView strip={strip} top={top} />
          ))}
        </svg>
      </Scroll>
      {leftOut > 0 && <p class="hint">{`The busiest slots are shown. ${leftOut} more were held.`}</p>}
      <details id="timeline-table">
        <summary>As a table</summary>
        <SpanTable spans={spans} />
      </details>
    </figure>
  );
};

const Axis = ({ timeline, height }: { timeline: Timeline; height: number }) => {
  const { fromMs, nowMs } = timeline;
  const place = (ms: number) => NAME + ((ms - fromMs) / (nowMs - fromMs)) * CHART;
  // The last mark would run into `now`.
  const ticks = ticksOf(timeline).filter((ms) => place(ms) < WIDTH - 60);
  const isLong = nowMs - fromMs > 172_800_000;
  return (
    <g class="axis">
      {ticks.map((ms) => (
        <>
          <path d={`M${round(place(ms))} 0V${height}`} />
          <text x={round(place(ms)) + 3} y={height + 16} data-at={ms} data-as={isLong ? 'day' : 'hour'}>
            {tickText(ms, isLong)}
          </text>
        </>
      ))}
      <path class="now" d={`M${WIDTH - 0.5} 0V${height}`} />
      <text x={WIDTH} y={height + 16} text-anchor="end">
        now
      </text>
    </g>
  );
};

/** In UTC; assets/times.js writes it in the browser's zone. */
const tickText = (ms: number, isLong: boolean): string => {
  const date = new Date(ms);
  return isLong ? `${DAYS[date.getUTCDay()]} ${date.getUTCDate()}` : date.toISOString().slice(11, 16);
};
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const StripView = ({ strip: { slot, lanes }, top }: { strip: Strip; top: number }) => (
  <g>
    <text class="name" x="0" y={top + 15}>
      {cut(slot, NAME - 6)}
    </text>
    <rect class="ground" x={NAME} y={top} width={CHART} height={Math.max(1, lanes.length) * LANE} />
    {lanes.map((bars, lane) => bars.map((bar) => <BarView bar={bar} y={top + lane * LANE} />))}
  </g>
);

const BarView = ({ bar, y }: { bar: Bar; y: number }) => {
  const [first] = bar.spans;
  const x = NAME + bar.start * CHART;
  const width = Math.max(MIN_BAR, (bar.end - bar.start) * CHART);
  const text = bar.spans.length > 1 ? `${bar.spans.length}×` : (first?.requester ?? '');
  const label = cut(text, width - 6);
  const isOpen = bar.spans.some(({ ending }) => ending === null);
  return (
    <g class={bar.spans.length > 1 ? 'bar several' : `bar who-${colorOf(text)}`}>
      <title>{titleOf(bar.spans)}</title>
      <rect
        class={isOpen ? 'open' : undefined}
        x={round(Math.min(x, WIDTH - width))}
        y={y + 1}
        width={round(width)}
        height={LANE - 2}
      />
      {label.length > 2 && (
        <text x={round(x) + 4} y={y + 15}>
          {label}
        </text>
      )}
    </g>
  );
};

/** The same requester always has the same color. */
const colorOf = (requester: string): number => Number.parseInt(hash('sha256', requester).slice(0, 6), 16) % COLORS;

const round = (value: number): number => Math.round(value * 10) / 10;

/** Shortens a text to a width. */
function cut(text: string, width: number): string {
  const fits = Math.max(0, Math.floor(width / LETTER));
  const letters = [...text];
  return letters.length <= fits ? text : `${letters.slice(0, Math.max(0, fits - 1)).join('')}…`;
}

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function titleOf(spans: readonly Span[]): string {
  const [first] = spans;
  if (first === undefined) return '';
  if (spans.length > 1) {
    const from = Math.min(...spans.map(({ fromMs }) => fromMs));
    const to = Math.max(...spans.map(({ toMs }) => toMs));
    const names = [...new Set(spans.map(({ requester }) => requester))];
    const shown = names.slice(0, 5).join(', ');
    const more = names.length > 5 ? ` and ${names.length - 5} others` : '';
    return `${spans.length} reservations of ${shown}${more}, ${timeText(from)} to ${timeText(to)}`;
  }
  const { requester, slot, fromMs, toMs, note } = first;
  const until = first.ending === null ? 'now' : timeText(toMs);
  const text = `${slot}: ${requester}, ${timeText(fromMs)} to ${until} (${spanText(toMs - fromMs)}), ${howItEnded(first)}`;
  return note === null ? text : `${text}: ${note}`;
}

const SpanTable = ({ spans }: { spans: readonly Span[] }) =>
  spans.length === 0 ? (
    <p>Nobody held it.</p>
  ) : (
    <>
      <Scroll label="The timeline as a table">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">Slot</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">For</th>
              <th scope="col">How it ended</th>
            </tr>
          </thead>
          <tbody>
            {spans.slice(0, MAX_ROWS).map((one) => (
              <tr>
                <th scope="row">{one.requester}</th>
                <td data-label="Slot">{one.slot}</td>
                <td data-label="From">
                  <When at={one.fromMs} as="at" />
                </td>
                <td data-label="To">{one.ending === null ? 'now' : <When at={one.toMs} as="at" />}</td>
                <td data-label="For">{spanText(one.toMs - one.fromMs)}</td>
                <td data-label="How it ended">{howItEnded(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {spans.length > MAX_ROWS && <p class="hint">{`The latest ${MAX_ROWS} of ${spans.length}.`}</p>}
    </>
  );
