/**
 * A chart of operations and refusals in the last hour, one bar a minute; and the same as a table.
 */
import type { Minute } from '../../engine/tenant/activity.ts';
import { When } from './when.tsx';

const BAR = 10;
const HEIGHT = 120;
const number = new Intl.NumberFormat('en');

export const HourChart = ({ minutes }: { minutes: readonly Minute[] }) => {
  const operations = sum(minutes.map((minute) => minute.operations));
  const refusals = sum(minutes.map((minute) => minute.refusals));
  const most = Math.max(1, ...minutes.map((minute) => minute.operations));
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, Math.round((count / most) * HEIGHT)));
  const summary = `${number.format(operations)} operations, of which ${number.format(refusals)} were refused; at most ${number.format(Math.max(0, ...minutes.map((minute) => minute.operations)))} in a minute.`;
  return (
    <figure class="chart">
      <figcaption>{summary}</figcaption>
      <svg
        role="img"
        aria-label={`Operations by the minute over the last hour. ${summary}`}
        viewBox={`0 0 ${minutes.length * BAR} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
      >
        {minutes.map(({ operations, refusals }, i) => (
          <>
            <rect class="operations" {...bar(i, heightOf(operations))} />
            <rect class="refusals" {...bar(i, heightOf(Math.min(refusals, operations)))} />
          </>
        ))}
        <rect class="axis" x="0" y={HEIGHT} width={minutes.length * BAR} height="1" />
      </svg>
      <p class="legend">
        <span class="operations">operations</span> <span class="refusals">refused</span> an hour ago to now
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

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

const bar = (i: number, height: number) => ({ x: i * BAR + 1, y: HEIGHT - height, width: BAR - 2, height });
