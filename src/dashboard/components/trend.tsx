/**
 * How many slots of a pool were in use, hour by hour, and what one more would have saved.
 */
import type { OneMore } from '../../domain/oneMore.ts';
import type { HourShare } from '../../operations/insight.ts';
import { span } from '../assets/span.js';
import { number, percent } from '../words/numbers.ts';

const HEIGHT = 64;
const FULL = 0.98;

export interface TrendProps {
  readonly label: string;
  readonly hours: readonly HourShare[];
  readonly capacity: number;
}

export const Trend = ({ label, hours, capacity }: TrendProps) => {
  const full = hours.filter(({ share }) => share >= FULL).length;
  const most = Math.max(0, ...hours.map(({ share }) => share));
  return (
    <>
      <svg
        class="trend"
        viewBox={`0 0 ${hours.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        height={HEIGHT}
        role="img"
        aria-label={`${label}, hour by hour over 7 days: at most ${percent(most)}; all ${capacity} in ${number(full)} hours`}
      >
        {hours.map(({ share }, i) => {
          const height = Math.round(share * HEIGHT);
          return share < 0.01 ? null : (
            <rect class={share >= FULL ? 'full' : 'some'} x={i} y={HEIGHT - height} width="0.9" height={height} />
          );
        })}
      </svg>
      <p class="ends meta" aria-hidden="true">
        <span>7 days ago</span>
        <span>now</span>
      </p>
    </>
  );
};

interface OneMoreProps {
  readonly more: OneMore;
  /** How many wait now: they count among those that waited once they have ended. */
  readonly waiting: number;
}

/** In a sentence. */
export const WithOneMore = ({ more: { waited, waitedMs, waitedThen, waitedThenMs }, waiting }: OneMoreProps) =>
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
      With one more slot in the last 7 days, {number(waited - waitedThen)} of the {number(waited)} that waited would not
      have, and the mean wait would have been {span(waitedThenMs / waited)} instead of {span(waitedMs / waited)}.
    </>
  );
