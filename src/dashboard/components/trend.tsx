/**
 * How many slots of a pool were in use, step by step, and what one more would have saved.
 */
import type { OneMore } from '../../domain/oneMore.ts';
import { type HourShare, WEEK } from '../../operations/insight.ts';
import { span } from '../assets/span.js';
import { daysText } from '../words/moments.ts';
import { number, percent } from '../words/numbers.ts';

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

interface OneMoreProps {
  readonly more: OneMore;
  /** How many wait now: they count among those that waited once they have ended. */
  readonly waiting: number;
  readonly days: number;
}

/** In a sentence. */
export const WithOneMore = ({ more: { waited, waitedMs, waitedThen, waitedThenMs }, waiting, days }: OneMoreProps) =>
  waited === 0 ? (
    waiting === 0 ? (
      <>Nobody had to wait.</>
    ) : (
      <>
        Nobody has had to wait yet; {number(waiting)} {waiting === 1 ? 'waits' : 'wait'} now.
      </>
    )
  ) : (
    <>
      With one more slot in the last {daysText(days)}, {number(waited - waitedThen)} of the {number(waited)} that waited
      would not have, and the mean wait would have been {span(waitedThenMs / waited)} instead of{' '}
      {span(waitedMs / waited)}.
    </>
  );
