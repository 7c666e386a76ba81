/**
 * Resources with how much they are used and how long people wait for them, and what follows from it.
 */
import type { PoolUsage } from '../../domain/history.ts';
import { span } from '../assets/span.js';
import { number } from '../words/numbers.ts';
import { resourcePath } from './resourceTree.tsx';
import { Scroll } from './tableParts.tsx';

/** The share from which on one more would help, if people wait. */
const BUSY_SHARE = 0.7;

export const isShort = ({ share, waited, gaveUp }: PoolUsage): boolean => share >= BUSY_SHARE && waited + gaveUp > 0;

export const PoolTable = ({ label, pools }: { label: string; pools: readonly PoolUsage[] }) => (
  <Scroll label={label}>
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Resource</th>
          <th scope="col">In use</th>
          <th scope="col">Reservations</th>
          <th scope="col">Waited on average</th>
          <th scope="col">95 % waited at most</th>
          <th scope="col">Gave up</th>
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <PoolRow pool={pool} />
        ))}
      </tbody>
    </table>
  </Scroll>
);

const PoolRow = ({ pool }: { pool: PoolUsage }) => {
  const { resource, share, reservations, meanWaitedMs, p95WaitedMs, gaveUp } = pool;
  const percent = `${Math.round(share * 100)} %`;
  return (
    <tr>
      <th scope="row">
        <a href={resourcePath(resource)}>{resource}</a>
        {isShort(pool) && <span class="along more">Buy one more</span>}
      </th>
      <td data-label="In use" class="share">
        {percent}
        <meter aria-label={`${resource} in use`} min="0" max="1" high={BUSY_SHARE} optimum={0} value={share}>
          {percent}
        </meter>
      </td>
      <td data-label="Reservations">{number(reservations)}</td>
      <td data-label="Waited">{meanWaitedMs === null ? '–' : span(meanWaitedMs)}</td>
      <td data-label="95 % at most">{p95WaitedMs === null ? '–' : span(p95WaitedMs)}</td>
      <td data-label="Gave up">{number(gaveUp)}</td>
    </tr>
  );
};
