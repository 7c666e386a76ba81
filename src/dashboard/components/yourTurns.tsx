/**
 * What the person who looks at a page waits for: their place, and what they can take now that it is their turn
 * (docs/specification.md#reserving-by-hand). Every page has it.
 */
import { requesterOf } from '../../engine/tenant/signIns.ts';
import type { Standing } from '../../engine/waiting/list.ts';
import type { Viewer } from '../env.ts';
import { ordinal } from '../words/numbers.ts';
import { LeaveQueue, TakeGranted } from './rowActions.tsx';
import { When } from './when.tsx';

/** An empty part stays in the page, so that a turn appears while the page is open. */
export const YourTurns = ({ viewer }: { viewer: Viewer }) => {
  // What can be taken ends soonest.
  const turns = viewer.standings.toSorted((one, other) => Number(other.isGranted) - Number(one.isGranted));
  return (
    <div data-live="turns" class="turns">
      {turns.map((turn) => (
        <Turn turn={turn} viewer={viewer} />
      ))}
    </div>
  );
};

const Turn = ({ turn, viewer }: { turn: Standing; viewer: Viewer }) => {
  const { isGranted, ahead, until, mode, resources } = turn;
  const [resource = ''] = resources;
  const hold = { resource, requester: requesterOf(viewer.user), claimBy: until, mode };
  return (
    <div class={isGranted ? 'notice good' : 'notice'}>
      <p data-turn={isGranted ? resource : undefined}>
        {isGranted ? (
          <>
            <strong>It is your turn: {resources.join(', ')}.</strong> Take it within <When at={until} as="in" />, or it
            goes to the next.
          </>
        ) : (
          <>
            You are {ordinal(ahead + 1)} in the queue for <strong>{resources.join(', ')}</strong>. The wait ends at{' '}
            <When at={until} as="at" />.
          </>
        )}
      </p>
      <div class="actions">
        {isGranted && <TakeGranted hold={hold} back={viewer.page} scope="turn" />}
        <LeaveQueue wait={hold} label={isGranted ? 'Let it go' : undefined} back={viewer.page} scope="turn" />
      </div>
    </div>
  );
};
