/**
 * The timeline of a resource and of what it takes along: what was, who holds it until when, and who comes next.
 */
import { factsOf, factsOfState } from '../resource/facts.ts';
import type { Details, View } from '../resource/resourceDetails.ts';
import { timelineRow } from '../timeline/row.ts';
import { Timeline, TimelineAxis, TimelineDefs } from '../timeline/timeline.tsx';
import { LanesHead } from './lanesHead.tsx';
import { resourcePath } from './resourceTree.tsx';

const VIEW_NAMES: readonly (readonly [View, string])[] = [
  ['today', 'Today'],
  ['day', '24 h'],
  ['week', '7 days'],
];

interface TimelineCardProps {
  readonly details: Details;
  readonly view: View;
  readonly link: (view: View) => string;
}

export const TimelineCard = ({ details, view, link }: TimelineCardProps) => {
  const { name, frame, along, older, past, nameOf, state: now } = details;
  const own = now.holds[0]?.hold;
  const isCut = older !== null && (past.at(-1)?.endedAt ?? 0) > frame.fromMs;
  return (
    <section class="card" aria-labelledby="timeline-title" data-live="timeline">
      <header>
        <h2 id="timeline-title">Timeline</h2>
        <nav class="end seg" aria-label="Span">
          {VIEW_NAMES.map(([one, title]) => (
            <a href={link(one)} aria-current={one === view ? 'true' : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <TimelineDefs frame={frame} />
      <table class="lanes" aria-label="Timeline">
        <LanesHead of="What" axis={<TimelineAxis frame={frame} />} />
        <tbody>
          <tr id="line-own">
            <th scope="row">{name}</th>
            <td class="track">
              <Timeline row={timelineRow(factsOf(details), frame)} />
            </td>
          </tr>
          {along.map((state) => (
            <tr id={`line-${state.name}`}>
              <th scope="row" class="meta">
                <a href={resourcePath(state.name)}>{state.name}</a>
              </th>
              <td class="track">
                <Timeline row={timelineRow(factsOfState(state, nameOf, { name, hold: own }), frame)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && <p class="pad meta">Only the latest {past.length} reservations that ended are drawn.</p>}
    </section>
  );
};
