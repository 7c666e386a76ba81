/**
 * How many slots of a pool were in use, step by step, and what one more would have saved.
 */
import { explainsWaits, type OneMore } from '../../domain/oneMore.ts';
import { type HourShare, WEEK } from '../../operations/insight.ts';
import { span } from '../assets/span.js';
import { daysText } from '../words/moments.ts';
import { number, percent } from '../words/numbers.ts';
import { When } from './when.tsx';

const HEIGHT = 64;
const FULL = 0.98;

export interface TrendProps {
  readonly label: string;
  /** By the hour; by the day if the time is longer than a week. */
  readonly steps: readonly HourShare[];
  readonly capacity: number;
  readonly days: number;
}

export const Trend = ({ label, steps, capacity, days }: TrendProps) => {
  const full = steps.filter(({ share }) => share >= FULL).length;
  const most = Math.max(0, ...steps.map(({ share }) => share));
  const step = stepOf(days);
  return (
    <>
      <svg
        class="trend"
        viewBox={`0 0 ${steps.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        height={HEIGHT}
        role="img"
        aria-label={`${label}, ${step} by ${step} over ${daysText(days)}: at most ${percent(most)}; all ${capacity} in ${number(full)} ${step}s`}
      >
        {steps.map(({ share }, i) => {
          const height = Math.round(share * HEIGHT);
          return share < 0.01 ? null : (
            <rect class={share >= FULL ? 'full' : 'some'} x={i} y={HEIGHT - height} width="0.9" height={height} />
          );
        })}
      </svg>
      <p class="ends meta" aria-hidden="true">
        <span>{daysText(days)} ago</span>
        <span>now</span>
      </p>
    </>
  );
};

/** What a bar of a trend stands for. */
export const stepOf = (days: number): 'hour' | 'day' => (days > WEEK ? 'day' : 'hour');

/** Says since when there is a history, if that is not for all of the time. */
export const SharesSince = ({ sinceMs }: { sinceMs: number | null }) =>
  sinceMs !== null && (
    <span class="meta">
      shares are of the time since <When at={sinceMs} as="day" />, when the history begins
    </span>
  );

interface OneMoreProps {
  readonly more: OneMore;
  /** The number of slots of today. */
  readonly capacity: number;
  /** How many wait now: they count among those that waited once they have ended. */
  readonly waiting: number;
  readonly days: number;
}

/** About how many waits one more slot would have saved, of those that the slots of today explain. */
export const savedBy = ({ waited, waitedToday, waitedThen }: OneMore): number =>
  waited === 0 ? 0 : Math.round(waitedToday * (1 - waitedThen / waited));

/** In a sentence. If the slots of today explain few of the waits, it claims no savings. */
export const WithOneMore = ({ more, capacity, waiting, days }: OneMoreProps) => {
  const { waited, waitedMs, waitedThen, waitedThenMs } = more;
  if (waited === 0 && waiting === 0) return <>Nobody had to wait.</>;
  if (waited === 0)
    return (
      <>
        Nobody has had to wait yet; {number(waiting)} {waiting === 1 ? 'waits' : 'wait'} now.
      </>
    );
  if (!explainsWaits(more))
    return (
      <>
        {number(waited)} had to wait in the last {daysText(days)}, most of them for another reason than its{' '}
        {number(capacity)} slots, or while it had fewer. One more slot would have spared{' '}
        {savedBy(more) === 0 ? 'nobody' : `about ${number(savedBy(more))}`} the wait.
      </>
    );
  return (
    <>
      With one slot more than its {number(capacity)} of today, {number(waited - waitedThen)} of the {number(waited)}{' '}
      that waited in the last {daysText(days)} would not have, and the mean wait would have been{' '}
      {span(waitedThenMs / waited)} instead of {span(waitedMs / waited)}.
    </>
  );
};
