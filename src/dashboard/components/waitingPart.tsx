/**
 * The part of a page that shows who waits (docs/specification.md#waiting): in queue order, since when, until when and
 * for what; with a button that ends a wait.
 */
import type { Child } from 'hono/jsx';
import type { WaitingRequest } from '../../contract/waiting.ts';
import type { SessionUser } from '../../engine/tenant/signIns.ts';
import { mayEnd } from '../../operations/permissions.ts';
import type { Waiter, Waiters } from '../search/searchWaiting.ts';
import { number } from '../words/numbers.ts';
import { wantedText } from '../words/waitingWords.ts';
import { Confirm } from './confirm.tsx';
import { Note } from './heldTable.tsx';
import { idOf } from './rowActions.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export interface WaitingPartProps {
  readonly waiters: Waiters;
  /** The address of the form that ends a wait. */
  readonly action: string;
  /** Who looks at it. */
  readonly user: SessionUser;
  /** Links to further pages; absent: only the first ones are shown */
  readonly pages?: Child;
}

export const WaitingPart = ({ waiters, action, user, pages }: WaitingPartProps) => {
  const { shown, matches, lookedAt, isPartial } = waiters;
  return (
    <section aria-labelledby="waiting-title" data-live="waiting">
      <h2 id="waiting-title">
        {number(matches)} waiting
        {isPartial && ` among the first ${number(lookedAt)} of the queue`}
      </h2>
      {shown.length > 0 && <WaitingTable waiters={shown} action={action} user={user} />}
      {pages ?? (matches > shown.length && <p>{`The first ${shown.length} are shown.`}</p>)}
    </section>
  );
};

const WaitingTable = ({
  waiters,
  action,
  user,
}: Pick<WaitingPartProps, 'action' | 'user'> & { waiters: readonly Waiter[] }) => (
  <Scroll label="Waiting requests, in queue order">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Place</th>
          <th scope="col">Requester</th>
          <th scope="col">Wants</th>
          <th scope="col">Waits for</th>
          <th scope="col">Since</th>
          <th scope="col">Gives up in</th>
          <th scope="col">Priority</th>
          <th scope="col">Attended</th>
          <th scope="col">Key</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {waiters.map(({ place, request }) => (
          <tr id={`waits-${idOfRequest(request)}`}>
            <td data-label="Place">{number(place)}</td>
            <th scope="row">{request.requester}</th>
            <td data-label="Wants">
              {wantedText(request)}
              <Note text={request.note} />
            </td>
            <td data-label="Waits for">{request.waitsFor}</td>
            <td data-label="Since">
              <When at={request.since} as="since" />
            </td>
            <td data-label="Gives up in">
              <When at={request.until} as="in" />
            </td>
            <td data-label="Priority">{request.priority}</td>
            <td data-label="Attended">{request.attended ? 'yes' : 'no'}</td>
            <td data-label="Key">{request.apiKeyLabel ?? '–'}</td>
            <td data-label="Actions">
              {mayEnd(user, request.requester) && <EndButton request={request} action={action} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

export const idOfRequest = ({ requester, since, resources }: WaitingRequest) =>
  idOf([requester, since, ...resources].join('\n'));

/** Ends every wait of the requester that names the first resource of this one, as the operation `cancel` does. */
export const EndButton = ({ request, action }: { request: WaitingRequest; action: string }) => {
  const { requester, resources } = request;
  const [resource = ''] = resources;
  return (
    <Confirm
      id={`end-${idOfRequest(request)}`}
      label="End the wait"
      about={`of ${requester} for ${wantedText(request)}`}
      question={`End every wait of “${requester}” for “${resource}”? The callers are refused.`}
      action={action}
      fields={{ requester, resource }}
    />
  );
};
