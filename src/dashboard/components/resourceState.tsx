/**
 * Says in a sentence who has a resource, until when, why, and how many wait; with what the person can do about it, if
 * they have it themselves.
 */
import type { CheckResult } from '../../contract/check.ts';
import { SYSTEM_REQUESTER_PREFIX } from '../../domain/names.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import type { Viewer } from '../env.ts';
import type { NameOf } from '../people.ts';
import { conditionPhrase } from '../words/conditionWords.ts';
import { NotAvailable } from './holdSentence.tsx';
import { Note } from './person.tsx';
import { resourcePath } from './resourceTree.tsx';
import { RowActions } from './rowActions.tsx';
import { When } from './when.tsx';

export interface ResourceStateProps {
  /** Of a check for the person. */
  readonly state: CheckResult;
  readonly viewer: Viewer;
  readonly nameOf: NameOf;
  /** The page that actions lead back to. */
  readonly back: string;
  /** True if the title of the page says that it is free. */
  readonly isTitled?: boolean;
}

export const ResourceState = ({ state, viewer, nameOf, back, isTitled = false }: ResourceStateProps) => {
  const { resource, expiresAt, note, waiting, heldByRequester, reason } = state;
  if (isTitled && stateText(state, nameOf) === FREE && waiting === 0) return <div data-live="state" />;
  const hold = { resource, requester: requesterOf(viewer.user), claimBy: null };
  return (
    <div data-live="state">
      <p>
        <a href={resourcePath(resource)}>{resource}</a> {stateText(state, nameOf)}
        {expiresAt !== null && (
          <>
            {' '}
            until <When as="clock" at={expiresAt} />
          </>
        )}
        . {waiting > 0 && `${waiting} waiting for it.`}
      </p>
      {reason !== undefined && holderOf(state) === null && <NotAvailable by={reason} />}
      <Note text={note} />
      {heldByRequester && (
        <RowActions row={{ resource, isFree: false, holds: [hold], conditions: null }} viewer={viewer} back={back} />
      )}
    </div>
  );
};

/** Its one holder; null: there are several, or it is taken along with another resource. */
const holderOf = ({ requester }: CheckResult) =>
  requester?.startsWith(SYSTEM_REQUESTER_PREFIX) === true ? null : requester;

const FREE = 'is free';

function stateText(state: CheckResult, nameOf: NameOf): string {
  const { reserved, reservable, heldByRequester, mode, holders, condition, conditionReason, reason } = state;
  const requester = holderOf(state);
  if (heldByRequester) return 'is yours';
  if (mode !== undefined) return `is shared by ${holders}`;
  if (condition !== undefined && (!reserved || requester === null))
    return `${conditionPhrase(condition)}${conditionReason === undefined ? '' : `: ${conditionReason}`}`;
  if (reservable === false && reason === undefined)
    return 'cannot be reserved: it is not registered, is a group, or is being deleted';
  if (reserved) return requester === null ? 'is in use' : `is held by ${nameOf(requester)}`;
  return reservable === false ? 'is free, but cannot be taken now' : FREE;
}
