/**
 * Who waits for a resource, in the order of the queue, each with when they can expect their turn.
 */
import type { Child } from 'hono/jsx';
import { isOwn, mayEnd } from '../../operations/permissions.ts';
import { span } from '../assets/span.js';
import type { Viewer } from '../env.ts';
import { conditionFor, countFor, expectedForNext, factsOf } from '../resource/facts.ts';
import type { Details } from '../resource/resourceDetails.ts';
import { timelineRow } from '../timeline/row.ts';
import { number } from '../words/numbers.ts';
import { PURPOSES, turnUnknown, wantedText } from '../words/waitingWords.ts';
import { Confirm } from './confirm.tsx';
import { Person } from './person.tsx';
import { idOf } from './rowActions.tsx';
import { When } from './when.tsx';

export interface QueueCardProps {
  readonly details: Details;
  readonly viewer: Viewer;
  /** The address of the form that ends a wait. */
  readonly action: string;
}

type Request = Details['state']['queue'][number]['request'];

export const QueueCard = ({ details, viewer, action }: QueueCardProps) => {
  const { name, state, frame, nameOf } = details;
  const { queue, waiting } = state;
  const count = Math.max(waiting, queue.length);
  if (count === 0) return <div data-live="queue" />;
  const facts = factsOf(details);
  const { expectedMs } = timelineRow(facts, frame);
  const { free } = state;
  const isQueued = queue.some(({ request }) => isOwn(viewer.user, request.requester));
  return (
    <section class="card" aria-labelledby="queue-title" data-live="queue">
      <header>
        <h2 id="queue-title">Queue</h2>
        <span class="meta">
          {number(count)} waiting
          {count <= queue.length && !isQueued && (
            <ForYou at={expectedForNext(facts, frame.nowMs)} nowMs={frame.nowMs} />
          )}
        </span>
      </header>
      <ol class="queue">
        {queue.map(({ request }, i) => (
          <li id={`waits-${idOfRequest(request)}`}>
            <span class="place">{i + 1}</span>
            <Person requester={request.requester} nameOf={nameOf} keyLabel={request.apiKeyLabel} note={request.note} />
            <span class="meta">
              {wishOf(request, name)}
              wants {request.ttlSeconds === null ? 'it while its session lasts' : span(request.ttlSeconds * 1000)} ·
              waits <When at={request.since} as="since" />
              {i === 0 && free > 0 && isShort(request, name, free) && <Kept isKept={request.attended} />}
            </span>
            <strong>
              {expectedMs[i] == null ? (
                <span class="meta">{turnUnknown(conditionFor(request, name))}</span>
              ) : (
                <>
                  about <When at={expectedMs[i]} as="clock" />
                </>
              )}
            </strong>
            {mayEnd(viewer.user, request.requester) && <EndButton request={request} action={action} />}
          </li>
        ))}
      </ol>
      {count > queue.length && <p class="pad meta">The first {queue.length} are shown.</p>}
    </section>
  );
};

const idOfRequest = ({ requester, since, resources }: Request) => idOf([requester, since, ...resources].join('\n'));

/** Ends every wait of the requester that names the first resource of this one, as the operation `cancel` does. */
const EndButton = ({ request, action }: { request: Request; action: string }) => {
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

/** How many slots it wants and what for, or what else it wants with it. */
function wishOf(request: Request, name: string): Child {
  const count = countFor(request, name);
  if (request.method !== null || request.resources.length > 1) return `${wantedText(request)} · `;
  const wish = `${count > 1 ? `${count} slots` : ''}${PURPOSES[conditionFor(request, name)]}`.trim();
  return wish === '' ? '' : `${wish} · `;
}

/** True if it wants more slots of those that are free and ready. */
const isShort = (request: Request, name: string, free: number): boolean =>
  conditionFor(request, name) === 'ready' && countFor(request, name) > free;

/** Free slots are kept for the first only while its caller is there (docs/specification.md#waiting-order). */
const Kept = ({ isKept }: { isKept: boolean }) => (
  <span class="along">
    {isKept ? 'the free slots are kept for it' : 'no slots are kept for it: smaller requests may pass'}
  </span>
);

/** When it would be the turn of somebody who joined now. */
const ForYou = ({ at, nowMs }: { at: number | null; nowMs: number }) =>
  at === null ? null : <>, about {span(at - nowMs)} until it is free for you</>;
