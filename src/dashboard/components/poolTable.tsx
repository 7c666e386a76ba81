/**
 * Resources with how much they are used and how long people wait for them, and what follows from it.
 */
import type { PoolUsage } from '../../domain/history.ts';
import { WEEK } from '../../operations/insight.ts';
import { daysText } from '../words/moments.ts';
import { percent } from '../words/numbers.ts';
import { Share, Sum } from './holderTable.tsx';
import { resourcePath } from './resourceTree.tsx';
import { Scroll } from './tableParts.tsx';

/** The share from which on one more would help, if people wait. */
const BUSY_SHARE = 0.7;

export const isShort = ({ share, waited, gaveUp }: PoolUsage): boolean => share >= BUSY_SHARE && waited + gaveUp > 0;

interface PoolTableProps {
  readonly label: string;
  readonly pools: readonly PoolUsage[];
  /** Resource → how often it was refused. */
  readonly refused: ReadonlyMap<string, number>;
  /** The time that the table is of. Refusals are of the last week at most. */
  readonly days: number;
}

export const PoolTable = ({ label, pools, refused, days }: PoolTableProps) => (
  <Scroll label={label}>
    <table class="sums">
      <thead>
        <tr>
          <th scope="col">Resource</th>
          <th scope="col">In use</th>
          <th scope="col" class="num">
            Reservations
          </th>
          <th scope="col" class="num">
            Mean wait
          </th>
          <th scope="col" class="num">
            <abbr title="95 of 100 waited at most so long">95 % at most</abbr>
          </th>
          <th scope="col" class="num">
            Gave up
          </th>
          <th scope="col" class="num">
            Refused{days > WEEK && ` in ${daysText(WEEK)}`}
          </th>
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <PoolRow pool={pool} refused={refused.get(pool.resource) ?? 0} />
        ))}
      </tbody>
    </table>
  </Scroll>
);

const PoolRow = ({ pool, refused }: { pool: PoolUsage; refused: number }) => {
  const { resource, share, reservations, meanWaitedMs, p95WaitedMs, gaveUp } = pool;
  return (
    <tr>
      <th scope="row">
        <a href={resourcePath(resource)}>{resource}</a> {isShort(pool) && <span class="tag short">Buy one more</span>}
      </th>
      <td data-label="In use" class="share">
        {percent(share)}
        <Share share={share} isMuch={isShort(pool)} />
      </td>
      <Sum label="Reservations" count={reservations} />
      <Sum label="Mean wait" ms={meanWaitedMs} />
      <Sum label="95 % at most" ms={p95WaitedMs} />
      <Sum label="Gave up" count={gaveUp} />
      <Sum label="Refused" count={refused} />
    </tr>
  );
};
