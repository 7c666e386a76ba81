/**
 * Says in a sentence who has a resource, until when, why, and how many wait; with what the person can do about it, if
 * they have it themselves.
 */
import type { CheckResult } from '../../contract/check.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import type { Viewer } from '../env.ts';
import type { InTheWay } from '../inTheWay.ts';
import { Note } from './heldTable.tsx';
import { NotAvailable } from './holdSentence.tsx';
import { resourcePath } from './resourceTree.tsx';
import { RowActions } from './rowActions.tsx';
import { When } from './when.tsx';

export interface ResourceStateProps {
  /** Of a check for the person. */
  readonly state: CheckResult;
  /** What keeps the person from it if it is free; null: nothing */
  readonly inTheWay: InTheWay | null;
  readonly viewer: Viewer;
  /** The page that actions lead back to. */
  readonly back: string;
}

export const ResourceState = ({ state, inTheWay, viewer, back }: ResourceStateProps) => {
  const { resource, expiresAt, note, waiting, heldByRequester } = state;
  const hold = { resource, requester: requesterOf(viewer.user), claimBy: null };
  return (
    <div data-live="state">
      <p>
        <a href={resourcePath(resource)}>{resource}</a> {stateText(state)}
        {expiresAt !== null && (
          <>
            {' '}
            until <When as="at" at={expiresAt} />
          </>
        )}
        . {waiting > 0 && `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for it.`}
      </p>
      {inTheWay !== null && <NotAvailable by={inTheWay} />}
      <Note text={note} />
      {heldByRequester && <RowActions row={{ resource, isFree: false, holds: [hold] }} viewer={viewer} back={back} />}
    </div>
  );
};

function stateText({ reserved, reservable, requester, heldByRequester, mode, holders }: CheckResult): string {
  if (heldByRequester) return 'is yours';
  if (mode !== undefined) return `is shared by ${holders}`;
  if (reserved) return requester === null ? 'is in use' : `is held by ${requester}`;
  return reservable === false ? 'is free, but cannot be taken now' : 'is free';
}
