/** The resources with too few slots, and what one more of each would have saved. */
import type { Short } from '../../operations/insight.ts';
import { resourcePath } from './resourceTree.tsx';
import { WithOneMore } from './trend.tsx';

export const ShortCard = ({ short, days }: { short: readonly Short[]; days: number }) => (
  <section class="card" aria-labelledby="short-title">
    <header>
      <h2 id="short-title">Too small</h2>
      <span class="meta">where one more slot would have saved most, of the latest 1,000 uses</span>
    </header>
    {short.map(({ resource, capacity, oneMore }) => (
      <p class="pad">
        <a href={resourcePath(resource)}>{resource}</a>{' '}
        <span class="meta">
          <WithOneMore more={oneMore} capacity={capacity} waiting={0} days={days} />
        </span>
      </p>
    ))}
  </section>
);
