/**
 * The cards beside a resource: how much it was used in the last 7 days, its definition, and how to reserve it from a
 * shell.
 */
import type { ResourceUsage } from '../../contract/history.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { withOneMore } from '../../domain/oneMore.ts';
import { type HourShare, WEEK } from '../../operations/insight.ts';
import { span } from '../assets/span.js';
import type { Viewer } from '../env.ts';
import { labelPath } from '../paths.ts';
import { capacityOf } from '../resource/facts.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import type { Details, Tab } from '../resource/resourceDetails.ts';
import { may } from '../viewer.ts';
import { number, percent } from '../words/numbers.ts';
import { busiest, Heatmap } from './heatmap.tsx';
import { resourcePath } from './resourceTree.tsx';
import { Trend, WithOneMore } from './trend.tsx';

interface AsideProps {
  readonly details: Details;
  readonly viewer: Viewer;
  readonly link: (tab: Tab) => string;
  readonly zone: string;
}

export const ResourceAside = ({ details, viewer, link, zone }: AsideProps) => (
  <aside class="stack" aria-label={`About ${details.name}`}>
    {details.usage !== null && <UsageCard details={details} usage={details.usage} zone={zone} />}
    <DefinitionCard {...{ details, viewer, link }} />
    {details.state.resource !== null && capacityOf(details.state) > 0 && <ShellCard name={details.name} />}
  </aside>
);

const WEEK_MS = WEEK * 86_400_000;

const hoursOf = ({ steps }: ResourceUsage): HourShare[] =>
  steps.map(({ from, share }) => ({ startMs: Date.parse(from), share }));

interface UsageCardProps extends Pick<AsideProps, 'details' | 'zone'> {
  readonly usage: ResourceUsage;
}

const UsageCard = ({ details, usage, zone }: UsageCardProps) => {
  const { name, state, past, older } = details;
  const { total } = usage;
  const hours = hoursOf(usage);
  const capacity = capacityOf(state);
  const sinceMs = Date.now() - WEEK_MS;
  // Of a page that has read only a part of the week, nothing follows.
  const isWhole = older === null || (past.at(-1)?.endedAt ?? 0) < sinceMs;
  const week = past.filter(({ endedAt, ending }) => endedAt >= sinceMs && ending !== 'OUT_OF_SERVICE');
  return (
    <section class="card" aria-labelledby="usage-title" data-live="usage">
      <header>
        <h2 id="usage-title">Last 7 days</h2>
        <a class="end meta" href="/dashboard/insight">
          Insight
        </a>
      </header>
      <dl class="figs">
        <Figure name="in use" value={percent(total.share)} />
        <Figure
          name="mean wait"
          value={total.meanWaitedSeconds === null ? '–' : span(total.meanWaitedSeconds * 1000)}
        />
        <Figure name="refused" value={number(total.refusals)} />
        {total.outOfServiceShare >= 0.005 && <Figure name="out of service" value={percent(total.outOfServiceShare)} />}
      </dl>
      <Heatmap label="In use by weekday and hour" hours={hours} />
      <p class="pad meta">The darker, the more of that hour it was in use: {busiest(hours, zone)}.</p>
      {capacity > 1 && (
        <div class="pad">
          <h3>Slots in use by hour</h3>
          <Trend label={`Slots of ${name} in use`} steps={hours} capacity={capacity} days={WEEK} />
          {isWhole && week.length > 0 && (
            <p class="meta">
              <WithOneMore capacity={capacity} more={withOneMore(week, capacity)} waiting={state.waiting} days={WEEK} />
            </p>
          )}
        </div>
      )}
    </section>
  );
};

export const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const DefinitionCard = ({ details: { name, state, below }, viewer, link }: Omit<AsideProps, 'zone'>) => {
  const { registered, plan } = state;
  const above = registered?.treePath.split(PATH_DELIMITER).filter((one) => one !== '') ?? [];
  const along = registered?.blocks ?? plan.map((one) => one.name);
  const labels = labelTexts(registered?.labels ?? {});
  return (
    <section class="card" aria-labelledby="definition-title" data-live="definition">
      <header>
        <h2 id="definition-title">Definition</h2>
        {may(viewer, 'define') && state.resource !== null && (
          <a class="end meta" href={link('definition')}>
            {registered === null ? 'Register' : 'Edit'}
          </a>
        )}
      </header>
      {registered === null ? (
        <p class="pad quiet">{name} is not registered. It can be reserved all the same.</p>
      ) : (
        <dl class="props">
          <dt>Slots</dt>
          <dd>{registered.capacity === null ? 'none, a group' : number(registered.capacity)}</dd>
          {registered.afterUse === 'dirty' && (
            <>
              <dt>After use</dt>
              <dd>to be cleaned</dd>
            </>
          )}
          {registered.isBookable && (
            <>
              <dt>Can be booked</dt>
              <dd>yes</dd>
            </>
          )}
          <dt>Path</dt>
          <dd>{above.length === 0 ? 'at the top' : <Links names={above} between=" / " />}</dd>
          <dt>Takes along</dt>
          <dd>{along.length === 0 ? 'nothing' : <Links names={along} />}</dd>
          {below.roots.length > 0 && (
            <>
              <dt>Below it</dt>
              <dd>
                <Links names={below.roots.map((one) => one.name)} />
              </dd>
            </>
          )}
          {labels.length > 0 && (
            <>
              <dt>Labels</dt>
              <dd>
                {labels.map((label) => (
                  <>
                    <span class="tag">{label}</span>{' '}
                  </>
                ))}
              </dd>
            </>
          )}
        </dl>
      )}
    </section>
  );
};

/** Names that a line shows. */
const MAX_LINKS = 12;

const Links = ({ names, between = ', ' }: { names: readonly string[]; between?: string }) => (
  <>
    {names.slice(0, MAX_LINKS).map((name, i) => (
      <>
        {i > 0 && between}
        <a href={resourcePath(name)}>{name}</a>
      </>
    ))}
    {names.length > MAX_LINKS && ` and ${names.length - MAX_LINKS} more`}
  </>
);

/** A name as a word of a shell. */
const quoted = (name: string): string => (/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

const ShellCard = ({ name }: { name: string }) => (
  <section class="card pad" aria-labelledby="shell-title">
    <h2 id="shell-title">From a shell</h2>
    <pre tabindex={0}>
      <code id="shell-command">holdfast run {quoted(name)} -- make test</code>
    </pre>
    <p>
      <button type="button" class="small" data-copy="shell-command" id="copy-shell" hidden>
        Copy
      </button>{' '}
      <a class="button quiet" href={labelPath(name)}>
        Print a QR code
      </a>
    </p>
  </section>
);
