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
      <Hatch id="hatch-dirty" />
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

/** @param props.goesOn true if the last time may go on beyond its right edge */
export const TimelineAxis = ({ frame, goesOn = false }: { frame: Frame; goesOn?: boolean }) => (
  <svg class="axis" height={AXIS} role="img" aria-label={isLong(frame) ? 'Time, by the day' : 'Time, by the hour'}>
    {marksOf(frame).flatMap(({ ms, place, hasText, isLast }) =>
      hasText || (goesOn && isLast)
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
  const isArea = row.lanes === 0 || (isLow && lanes > MAX_LOW_LANES);
  const height = Math.max(rowHeight, lanes === 1 || isLow ? 0 : pitch * lanes + 2 * ROOM);
  const top = (height - pitch * lanes) / 2;
  return (
    <svg class="line" height={height} role="img" aria-label={row.text}>
      <use href="#hours" />
      {(isArea ? [] : row.bars).map((bar) => (
        <BarView
          bar={bar}
          y={round(top + bar.lane * pitch)}
          height={lanes === 1 ? pitch : round(pitch - 1)}
          isLane={lanes > 1}
          room={lanes > 1 || bar.kind === 'past' ? 0 : roomAfter(bar, row.bars)}
        />
      ))}
      {isArea && <Area row={row} rowHeight={rowHeight} />}
      <use href="#now" />
    </svg>
  );
};

/** How many slots are in use, of a pool with more slots than there is room for lanes. */
const Area = ({ row: { area, capacity }, rowHeight }: { row: TimelineRow; rowHeight: number }) => (
  <>
    {area.map((step) => (
      <StepView step={step} capacity={capacity} rowHeight={rowHeight} />
    ))}
    {area[0] && (
      <text class="count" x={`${area[0].from}%`} dx="8" y={rowHeight / 2 + 4}>
        {area[0].held} of {capacity} in use
      </text>
    )}
  </>
);

/** Lanes that a low row has room for. */
const MAX_LOW_LANES = 4;

/** Number of lanes → their distance. More of them are as close as six. */
const PITCHES: Readonly<Record<number, number>> = { 2: 12, 3: 11, 4: 8, 5: 7 };

const round = (value: number): number => Math.round(value * 100) / 100;

/** How much room there is between a bar and the next one, in percent; 0 where others begin before its end. */
const roomAfter = (bar: Bar, bars: readonly Bar[]): number =>
  Math.max(0, Math.min(100, ...bars.filter((one) => one !== bar && one.to > bar.to).map(({ from }) => from)) - bar.to);

interface BarViewProps {
  readonly bar: Bar;
  readonly y: number;
  readonly height: number;
  readonly isLane: boolean;
  /** The width after it that its text may take if it is too short for it, in percent. */
  readonly room: number;
}

/** A bar with its text, as far as that fits. */
export const BarView = ({ bar, y, height, isLane, room }: BarViewProps) => {
  const { kind, from, to, isCutLeft, isCutRight, fades, text } = bar;
  const classes = ['bar', kind, isCutLeft && 'before', isCutRight && 'after', fades && 'fades', isLane && 'lane'];
  const [wide, narrow] = isLane ? [NO_LABEL, NO_LABEL] : [labelOf(bar, room, WIDE), labelOf(bar, room, NARROW)];
  return (
    <>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the row that it is a part of has a label */}
      <svg
        class={classes.filter((one) => one !== false).join(' ')}
        x={`${from}%`}
        y={y}
        width={`${round(to - from)}%`}
        height={height}
      >
        {(wide.within !== text || narrow.within !== text) && <title>{text}</title>}
        <rect />
        <Label wide={wide.within} narrow={narrow.within} x={8} y={height / 2 + 4.5} />
      </svg>
      {wide.beside + narrow.beside !== '' && (
        // biome-ignore lint/a11y/noSvgWithoutTitle: the row that it is a part of has a label
        <svg class="beside" x={`${to}%`} y={y} width={`${round(room)}%`} height={height}>
          <Label wide={wide.beside} narrow={narrow.beside} x={4} y={height / 2 + 4.5} />
        </svg>
      )}
    </>
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

interface LabelProps {
  /** The text in a wide window, and in a narrow one. */
  readonly wide: string;
  readonly narrow: string;
  readonly x: number;
  readonly y: number;
}

const Label = ({ wide, narrow, x, y }: LabelProps) => {
  const texts = wide === narrow ? [[wide]] : [[wide, 'in-wide'] as const, [narrow, 'in-narrow'] as const];
  return (
    <>
      {texts.map(
        ([text, kind]) =>
          text !== '' && (
            <text class={kind} x={x} y={y}>
              {text}
            </text>
          ),
      )}
    </>
  );
};

/** Widths of a timeline in px: of a window of 1,440 px, and of one of 1,200 px. */
const WIDE = 590;
const NARROW = 375;
/** The width of a letter, and the room at both ends of a text, in px. */
const LETTER = 7;
const PADDING = 16;
/** A text of so many letters says enough; that of who waits, after their place. */
const LEGIBLE = 8;
const LEGIBLE_WAIT = 6;

/** Where the text of a bar stands, as far as it fits: in the bar, or else beside it. */
interface Placed {
  readonly within: string;
  readonly beside: string;
}

const NO_LABEL: Placed = { within: '', beside: '' };

/** @param room beside the bar, in percent @param width of the timeline, in px */
function labelOf({ kind, text, from, to }: Bar, room: number, width: number): Placed {
  const within = cut(text, ((to - from) / 100) * width);
  if (within === text || within.length >= (kind === 'waiting' ? LEGIBLE_WAIT : LEGIBLE)) return { within, beside: '' };
  // The place in the queue, which the text begins with.
  if (kind === 'waiting') return { within: cut(text.split(' ')[0] ?? '', ((to - from) / 100) * width), beside: '' };
  const beside = cut(text, (room / 100) * width);
  return beside.length > within.length ? { within: '', beside } : { within, beside: '' };
}

/** Shortens a text to a width in px. */
function cut(text: string, width: number): string {
  const letters = [...text];
  const fits = Math.floor((width - PADDING) / LETTER);
  if (letters.length <= fits) return text;
  return fits < 3
    ? ''
    : `${letters
        .slice(0, fits - 1)
        .join('')
        .trimEnd()}…`;
}

/** The meanings of the bars. @param isOfPerson false on a wallboard, which nobody has signed in to */
export const TimelineLegend = ({ isOfPerson = true }: { isOfPerson?: boolean }) => (
  <p class="timeline-legend">
    {LEGEND.filter(([kind]) => isOfPerson || kind !== 'mine').map(([kind, text]) => (
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
  ['dirty', 'needs cleaning'],
  ['past', 'before'],
] as const;
