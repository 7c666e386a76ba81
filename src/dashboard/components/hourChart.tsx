/**
 * A chart of operations and refusals in the last hour, one bar a minute, with axes; and the same as a table.
 */
import type { Minute } from '../../engine/tenant/activity.ts';
import { number } from '../words/numbers.ts';
import { When } from './when.tsx';

const BAR = 10;
const HEIGHT = 120;
export const HourChart = ({ minutes }: { minutes: readonly Minute[] }) => {
  const operations = sum(minutes.map((minute) => minute.operations));
  const refusals = sum(minutes.map((minute) => minute.refusals));
  const top = niceTop(Math.max(1, ...minutes.map((minute) => minute.operations)));
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, Math.round((count / top) * HEIGHT)));
  const summary = `${number(operations)} ${operations === 1 ? 'operation' : 'operations'}, ${number(refusals)} of them refused; at most ${number(Math.max(0, ...minutes.map((minute) => minute.operations)))} in a minute.`;
  return (
    <figure class="chart">
      <figcaption>{summary}</figcaption>
      <div class="axes">
        <div class="axis-y" aria-hidden="true">
          {[top, top / 2, 0].map((tick) => (
            <span>{number(tick)}</span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={`Operations by the minute over the last hour. ${summary}`}
          viewBox={`0 0 ${minutes.length * BAR} ${HEIGHT + 1}`}
          preserveAspectRatio="none"
        >
          {[0, HEIGHT / 2].map((y) => (
            <rect class="grid" x="0" y={y} width={minutes.length * BAR} height="0.5" />
          ))}
          {minutes.map(({ operations, refusals }, i) => (
            <>
              <rect class="operations" {...bar(i, heightOf(operations))} />
              <rect class="refusals" {...bar(i, heightOf(Math.min(refusals, operations)))} />
            </>
          ))}
          <rect class="axis" x="0" y={HEIGHT} width={minutes.length * BAR} height="1" />
        </svg>
        <div class="axis-x" aria-hidden="true">
          {[60, 45, 30, 15].map((ago) => (
            <span>{`${ago} min`}</span>
          ))}
          <span>now</span>
        </div>
      </div>
      <p class="timeline-legend">
        {['operations', 'refusals'].map((kind) => (
          <span>
            <svg width="10" height="10" aria-hidden="true">
              <rect class={kind} width="10" height="10" rx="2" />
            </svg>
            {kind === 'refusals' ? 'refused' : kind}
          </span>
        ))}
      </p>
      <details id="chart-table">
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Minute from</th>
              <th scope="col">Operations</th>
              <th scope="col">Refused</th>
            </tr>
          </thead>
          <tbody>
            {minutes
              .filter((minute) => minute.operations > 0 || minute.refusals > 0)
              .map(({ startMs, operations, refusals }) => (
                <tr>
                  <td>
                    <When at={startMs} as="at" />
                  </td>
                  <td>{operations}</td>
                  <td>{refusals}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
};

/** The end of the axis: the least of 2, 10, 20, 50, 100, 200 … that is large enough, and that has a whole half. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const top = [1, 2, 5, 10].map((step) => step * power).find((one) => one >= most) ?? most;
  return top % 2 === 0 ? top : top + 1;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

const bar = (i: number, height: number) => ({ x: i * BAR + 1, y: HEIGHT - height, width: BAR - 2, height });
