/**
 * What was refused: resources, and limits.
 */
import { type Insight, WEEK } from '../../operations/insight.ts';
import { daysText } from '../words/moments.ts';
import { number } from '../words/numbers.ts';
import { resourcePath } from './resourceTree.tsx';

/** Resources that the card names. Each has its figure in the table of resources, too. */
const MAX_REFUSED = 5;

export interface InsightProps {
  readonly insight: Insight;
  /** The time that it is of, up to now. */
  readonly days: number;
}

export const RefusalsCard = ({ insight: { refusedLimits, refusedOthers, refusedResources }, days }: InsightProps) => (
  <section class="card" aria-labelledby="refused-title">
    <header>
      <h2 id="refused-title">Refused</h2>
      {days > WEEK && <span class="meta">in the last {daysText(WEEK)}</span>}
    </header>
    {refusedLimits.length + refusedResources.length === 0 ? (
      <p class="pad quiet">Nothing was refused.</p>
    ) : (
      <dl class="props">
        {refusedResources.slice(0, MAX_REFUSED).map(({ name, count }) => (
          <>
            <dt>{number(count)} ×</dt>
            <dd>
              <a href={resourcePath(name)}>{name}</a>
            </dd>
          </>
        ))}
        {refusedLimits.map(({ name, count }) => (
          <>
            <dt>{number(count)} ×</dt>
            <dd>by the limit {name}</dd>
          </>
        ))}
        {refusedOthers > 0 && (
          <>
            <dt>{number(refusedOthers)} ×</dt>
            <dd>other resources</dd>
          </>
        )}
      </dl>
    )}
  </section>
);
