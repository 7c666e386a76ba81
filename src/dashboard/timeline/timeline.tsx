/**
 * Draws timelines: an axis, and an inline SVG a row. Places are percentages in attributes, so it fits any width without
 * a script and without style attributes. What a row shows is in its label too.
 */
import { type Frame, hasNow, isLong, marksOf, placeOf } from './frame.ts';
import type { Step, TimelineRow } from './row.ts';
import type { Bar } from './rowFacts.ts';

const HEIGHT = 44;
const BAR = 26;
const AXIS = 34;
/** The least room above and below the lanes of a pool. */
const ROOM = 5;

/** The parts that all timelines of a page share. A page has it once, before them, in the region that is renewed. */
export const TimelineDefs = ({ frame }: { frame: Frame }) => (
  <svg class="defs" aria-hidden="true" width="0" height="0">
    <defs>
      <Hatch id="hatch" />
      <Hatch id="hatch-out" />
      <Fade id="fade" />
      <Fade id="fade-mine" />
      <g id="hours">
        {marksOf(frame).map(({ place }) => (
          <line x1={`${place}%`} x2={`${place}%`} y2="100%" />
        ))}
      </g>
      <g id="now">
        {hasNow(frame) && (
          <line x1={`${placeOf(frame, frame.nowMs)}%`} x2={`${placeOf(frame, frame.nowMs)}%`} y2="100%" />
        )}
      </g>
    </defs>
  </svg>
);

const Hatch = ({ id }: { id: string }) => (
  <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <path d="M0 0V6" />
  </pattern>
);

const Fade = ({ id }: { id: string }) => (
  <linearGradient id={id}>
    <stop offset="50%" />
    <stop offset="100%" stop-opacity="0" />
  </linearGradient>
);

export const TimelineAxis = ({ frame }: { frame: Frame }) => (
  <svg class="axis" height={AXIS} role="img" aria-label={isLong(frame) ? 'Time, by the day' : 'Time, by the hour'}>
    {marksOf(frame).flatMap(({ ms, place, hasText }) =>
      hasText
        ? [
            <text x={`${place}%`} y="21" dx="4" data-at={ms} data-as={isLong(frame) ? 'day' : 'hour'}>
              {isLong(frame) ? new Date(ms).toISOString().slice(5, 10) : utc(ms)}
            </text>,
          ]
        : [],
    )}
    {!isLong(frame) && (
      <text
        class="now-text"
        x={`${placeOf(frame, frame.nowMs)}%`}
        y="21"
        text-anchor="middle"
        data-at={frame.nowMs}
        data-as="hour"
      >
        {utc(frame.nowMs)}
      </text>
    )}
  </svg>
);

/** In UTC; assets/times.js writes it in the browser's zone. */
const utc = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

/** The hours and the now-line without a row, as in the head of a group. */
export const EmptyTimeline = ({ height }: { height: number }) => (
  <svg class="line" height={height} aria-hidden="true">
    <use href="#hours" />
    <use href="#now" />
  </svg>
);

/** @param props.rowHeight of a row without lanes, in px; one with many lanes is higher, unless it is low */
export const Timeline = ({ row, rowHeight = HEIGHT }: { row: TimelineRow; rowHeight?: number }) => {
  const lanes = Math.max(1, row.lanes);
  const isLow = rowHeight < HEIGHT;
  const single = isLow ? rowHeight - 6 : BAR;
  const pitch = lanes === 1 ? single : isLow ? (rowHeight - 4) / lanes : (PITCHES[lanes] ?? 6);
  const height = Math.max(rowHeight, lanes === 1 || isLow ? 0 : pitch * lanes + 2 * ROOM);
  const top = (height - pitch * lanes) / 2;
  return (
    <svg class="line" height={height} role="img" aria-label={row.text}>
      <use href="#hours" />
      {row.bars.map((bar) => (
        <BarView
          bar={bar}
          y={round(top + bar.lane * pitch)}
          height={lanes === 1 ? pitch : round(pitch - 1)}
          isLane={lanes > 1}
        />
      ))}
      {row.area.map((step) => (
        <StepView step={step} capacity={row.capacity} rowHeight={rowHeight} />
      ))}
      {row.area[0] && (
        <text class="count" x={`${row.area[0].from}%`} dx="8" y={rowHeight / 2 + 4}>
          {row.area[0].held} of {row.capacity} in use
        </text>
      )}
      <use href="#now" />
    </svg>
  );
};

/** Number of lanes → their distance. More of them are as close as six. */
const PITCHES: Readonly<Record<number, number>> = { 2: 12, 3: 11, 4: 8, 5: 7 };

const round = (value: number): number => Math.round(value * 100) / 100;

const BarView = ({ bar, y, height, isLane }: { bar: Bar; y: number; height: number; isLane: boolean }) => {
  const { kind, from, to, isCutLeft, isCutRight, fades, text } = bar;
  const classes = ['bar', kind, isCutLeft && 'before', isCutRight && 'after', fades && 'fades', isLane && 'lane'];
  const shown = isLane ? '' : cut(text, to - from);
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the row that it is a part of has a label
    <svg
      class={classes.filter((one) => one !== false).join(' ')}
      x={`${from}%`}
      y={y}
      width={`${round(to - from)}%`}
      height={height}
    >
      {shown !== text && <title>{text}</title>}
      <rect />
      {shown !== '' && (
        <text x="8" y={height / 2 + 4.5}>
          {shown}
        </text>
      )}
    </svg>
  );
};

interface StepProps {
  readonly step: Step;
  readonly capacity: number;
  readonly rowHeight: number;
}

const StepView = ({ step: { from, to, held }, capacity, rowHeight }: StepProps) => {
  const height = round(Math.min(1, held / capacity) * (rowHeight - 2 * ROOM));
  return (
    <rect class="area" x={`${from}%`} y={rowHeight - ROOM - height} width={`${round(to - from)}%`} height={height} />
  );
};

/** The usual width of a timeline, and of a letter, in px. What does not fit in a narrower one is clipped. */
const WIDTH = 600;
const LETTER = 6.7;
const PADDING = 12;

/** Shortens a text to a width in percent of the timeline. */
function cut(text: string, percent: number): string {
  const letters = [...text];
  const fits = Math.floor(((percent / 100) * WIDTH - PADDING) / LETTER);
  if (letters.length <= fits) return text;
  return fits < 3
    ? ''
    : `${letters
        .slice(0, fits - 1)
        .join('')
        .trimEnd()}…`;
}

/** The meanings of the bars. */
export const TimelineLegend = () => (
  <p class="timeline-legend">
    {LEGEND.map(([kind, text]) => (
      <span>
        <svg class={`bar ${kind}`} width="22" height="12" aria-hidden="true">
          <rect />
        </svg>
        {text}
      </span>
    ))}
  </p>
);

const LEGEND = [
  ['held', 'in use'],
  ['mine', 'yours'],
  ['waiting', 'waiting, expected'],
  ['booked', 'booked'],
  ['blocked', 'blocked by another'],
  ['look', 'needs a look'],
  ['out', 'out of service'],
  ['dirty', 'being cleaned'],
  ['past', 'before'],
] as const;
