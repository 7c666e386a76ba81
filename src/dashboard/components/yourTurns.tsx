/**
 * The grants that the person who looks at a page can take (docs/specification.md#reserving-by-hand).
 * Every page has it. Where they wait is on Mine.
 */
import { PERSON_PREFIX } from '../../domain/names.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import type { OwnStanding, Viewer } from '../env.ts';
import { Icon } from './icon.tsx';
import { LeaveQueue, TakeGranted } from './rowActions.tsx';
import { When } from './when.tsx';

/** An empty part stays in the page, so that a turn appears while the page is open. */
export const YourTurns = ({ viewer }: { viewer: Viewer }) => (
  <div data-live="turns" class="turns">
    {viewer.standings
      .filter(({ isGranted }) => isGranted)
      .map((turn) => (
        <Turn turn={turn} viewer={viewer} />
      ))}
  </div>
);

const Turn = ({ turn, viewer }: { turn: OwnStanding; viewer: Viewer }) => {
  const { until, mode, resources } = turn;
  const [resource = ''] = resources;
  const hold = { resource, requester: requesterOf(viewer.user), claimBy: until, mode };
  return (
    <div class="turn">
      <Icon name="bell" />
      <p data-turn={resource}>
        <strong>It is your turn: {resources.join(', ')}.</strong>{' '}
        <span class="meta">
          Take it by <When at={until} as="clock" />, or {fateOf(turn)}.
        </span>
      </p>
      <div class="end">
        <LeaveQueue wait={hold} label="Let it go" back={viewer.page} scope="turn" />
        <TakeGranted hold={hold} back={viewer.page} scope="turn" />
      </div>
    </div>
  );
};

/** Says what happens to a grant that nobody takes. */
function fateOf({ resources, next }: OwnStanding): string {
  const it = resources.length === 1 ? 'it' : 'they';
  if (next === undefined) return `${it} ${it === 'it' ? 'goes' : 'go'} to the next`;
  if (next === null) return `${it} ${it === 'it' ? 'is' : 'are'} free again`;
  return `${it} ${it === 'it' ? 'goes' : 'go'} to ${next.replace(PERSON_PREFIX, '')}`;
}
