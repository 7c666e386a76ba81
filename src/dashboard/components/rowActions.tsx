/**
 * The actions of a person on a resource, from the row of any page: Reserve, Join queue, Extend, Release, Take away,
 * Leave the queue, Out of service, Back in service (docs/specification.md#dashboard-and-sign-in).
 */

import { hash } from 'node:crypto';
import type { Child } from 'hono/jsx';
import type { Mode } from '../../domain/reservations.ts';
import type { NotReady } from '../../engine/reservations/slotConditions.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { isOwn, mayEnd } from '../../operations/permissions.ts';
import { bookPath } from '../bookings/paths.ts';
import type { Viewer } from '../env.ts';
import { actionPath } from '../paths.ts';
import { may } from '../viewer.ts';
import { HiddenFields } from './hiddenFields.tsx';

/** A reservation in a row. */
export interface RowHold {
  /** As it was requested: the name that releases it. */
  readonly resource: string;
  readonly requester: string;
  /** Until when it can be claimed; null: it is claimed */
  readonly claimBy: string | null;
  readonly mode?: Mode | undefined;
  /** The condition that it asked for; null: ready. Absent: a page does without. */
  readonly condition?: NotReady | null;
}

export interface ActionRow {
  /** The name that would be reserved: a resource, or a slot of a pool. */
  readonly resource: string;
  /** True if somebody can take it now; null: nobody ever can, as a group */
  readonly isFree: boolean | null;
  /** The reservations of it that the row shows. */
  readonly holds: readonly RowHold[];
  /** True if somebody should look at it: then taking it away comes first. */
  readonly isStale?: boolean;
  /** The conditions of its slots; null: it has none, as a name that is not registered */
  readonly conditions: SlotCounts | null;
  /** True if it can be booked. Absent: a page does without. */
  readonly isBookable?: boolean;
}

/** The number of slots, and of those that are not ready. */
export interface SlotCounts {
  readonly slots: number;
  readonly out: number;
  readonly dirty: number;
}

export interface RowActionsProps {
  readonly row: ActionRow;
  readonly viewer: Viewer;
  /** The address of the page, to which the actions lead back. */
  readonly back: string;
  /** Further entries of the menu. */
  readonly more?: readonly Child[];
  /** A button beside the first, where there is room. */
  readonly second?: Child;
}

/** The likeliest action as a button, and the others in a menu. */
export const RowActions = ({ row, viewer, back, more = [], second }: RowActionsProps) => {
  const [first, ...own] = actionsOf(row, viewer, back);
  const others = [...own, ...more];
  if (first === undefined) return null;
  return (
    <div class="actions">
      {first}
      {second}
      {others.length > 0 && (
        <details class="row-menu" id={`more-${idOf(row.resource)}`} name="menu">
          <summary class="button quiet">
            <span class="out-of-sight">More for {row.resource}</span>
          </summary>
          <div class="menu">{others}</div>
        </details>
      )}
    </div>
  );
};

/** The actions that fit the state and the person, the likeliest first. */
function actionsOf(row: ActionRow, viewer: Viewer, back: string): Child[] {
  const { resource, conditions } = row;
  const [repair, ...care] = may(viewer, 'define') && conditions !== null ? careOf(resource, conditions, back) : [];
  const [first, ...others] = may(viewer, 'reserve') ? holdActionsOf(row, viewer, back) : [];
  // A resource that is out of service as a whole, and held by nobody, is wanted back before anything else.
  const isOut = conditions !== null && conditions.out === conditions.slots && row.holds.length === 0;
  const all = isOut ? [repair, first, ...others, ...care] : [first, ...others, repair, ...care];
  return all.filter((one) => one !== undefined);
}

/** Actions about its condition, of people who may define it. */
const careOf = (resource: string, { slots, out, dirty }: SlotCounts, back: string): Child[] => [
  ...(out > 0 ? [<BackInService resource={resource} from="out" back={back} />] : []),
  ...(dirty > 0 ? [<BackInService resource={resource} from="dirty" back={back} />] : []),
  ...(out < slots
    ? [
        <a class="button" href={actionPath('condition/out', { resource, back })}>
          Out of service …
          <About text={resource} />
        </a>,
      ]
    : []),
];

function holdActionsOf(row: ActionRow, viewer: Viewer, back: string): Child[] {
  const { resource, isFree, holds, isStale = false, conditions, isBookable = false } = row;
  const { user } = viewer;
  const own = holds.filter(({ requester }) => isOwn(user, requester));
  const others = holds.filter(({ requester }) => !isOwn(user, requester) && mayEnd(user, requester));
  const forOwn = own.flatMap((hold) => [
    hold.claimBy === null ? <Extend hold={hold} back={back} /> : <TakeGranted hold={hold} back={back} />,
    ...(hold.condition ? [<ReleaseReady hold={hold} to={hold.condition} back={back} />] : []),
    <Release hold={hold} back={back} />,
    ...(conditions === null || hold.claimBy !== null ? [] : [<ReleaseBroken hold={hold} back={back} />]),
  ]);
  const forOthers = others.map((hold) => <TakeAway hold={hold} row={resource} back={back} />);
  const book = isBookable ? [<Book resource={resource} back={back} />] : [];
  if (own.length > 0) return [...forOwn, ...book, ...forOthers];
  if (viewer.standings.some(({ resources, isGranted }) => !isGranted && resources.includes(resource)))
    return [<LeaveQueue wait={{ resource, requester: requesterOf(user) }} back={back} />, ...book, ...forOthers];
  if (isFree === null) return forOthers;
  const reserve = <Reserve resource={resource} label={isFree ? 'Reserve' : 'Join queue'} back={back} />;
  const all = [reserve, ...book, ...tendingOf(resource, conditions, viewer, back)];
  return isStale ? [...forOthers, ...all] : [...all, ...forOthers];
}

/** Reserving what is not ready, for those who clean or repair it. */
const tendingOf = (resource: string, conditions: SlotCounts | null, viewer: Viewer, back: string): Child[] => [
  ...(conditions !== null && conditions.dirty > 0 ? [<Tend resource={resource} condition="dirty" back={back} />] : []),
  ...(conditions !== null && conditions.out > 0 && may(viewer, 'define')
    ? [<Tend resource={resource} condition="out" back={back} />]
    : []),
];

const Tend = ({ resource, condition, back }: { resource: string; condition: NotReady; back: string }) => (
  <a class="button" href={actionPath('reserve', { resource, condition, back })}>
    {condition === 'dirty' ? 'Clean it …' : 'Repair it …'}
    <About text={resource} />
  </a>
);

/** Makes what is out of service, or has to be cleaned, ready again. */
const BackInService = ({ resource, from, back }: { resource: string; from: 'out' | 'dirty'; back: string }) => (
  <Action
    to="/dashboard/condition/back"
    label={from === 'out' ? 'Back in service' : 'Mark as clean'}
    about={resource}
    fields={{ resource, from, back }}
  />
);

const Reserve = ({ resource, label, back }: { resource: string; label: string; back: string }) => (
  <a class={label === 'Reserve' ? 'button' : 'button quiet'} href={actionPath('reserve', { resource, back })}>
    {label === 'Reserve' ? label : <Queue />}
    <About text={resource} />
  </a>
);

/** `Join queue`; `Queue` in a row of a phone. */
const Queue = () => (
  <span>
    <span class="wide-only">Join </span>queue
  </span>
);

/** Books a time ahead. */
const Book = ({ resource, back }: { resource: string; back: string }) => (
  <a class="button" href={bookPath({ resource, back })}>
    Book …
    <About text={resource} />
  </a>
);

interface HoldProps {
  readonly hold: RowHold;
  readonly back: string;
  readonly scope?: string | undefined;
}

export const Extend = ({ hold: { resource, requester }, back }: HoldProps) => (
  <a class="button" href={actionPath('extend', { resource, requester, back })}>
    Extend
    <About text={resource} />
  </a>
);

export const Release = ({ hold: { resource, requester }, back }: HoldProps) => (
  <Action to="/dashboard/release" label="Release" about={resource} fields={{ resource, requester, back }} />
);

/** Releases what was cleaned or repaired, so that others get it. */
export const ReleaseReady = ({ hold: { resource, requester }, to, back }: HoldProps & { to: NotReady }) => (
  <Action
    to="/dashboard/release"
    label={to === 'dirty' ? 'Release as clean' : 'Release as repaired'}
    about={resource}
    fields={{ resource, requester, condition: 'ready', back }}
  />
);

/** Asks what is broken, then releases it so that nobody gets it. */
export const ReleaseBroken = ({ hold: { resource, requester }, back }: HoldProps) => (
  <a class="button" href={actionPath('condition/broken', { resource, requester, back })}>
    Release as broken …
    <About text={resource} />
  </a>
);

/** Claims what was granted to a person who waited. */
export const TakeGranted = ({ hold: { resource, mode }, back, scope }: HoldProps) => (
  <Action
    scope={scope}
    to="/dashboard/claim"
    label="Take it"
    about={resource}
    fields={{ resource, back, ...(mode !== undefined && { mode }) }}
  />
);

interface LeaveQueueProps {
  readonly wait: Pick<RowHold, 'resource' | 'requester'>;
  readonly label?: string | undefined;
  readonly back: string;
  readonly scope?: string | undefined;
}

export const LeaveQueue = ({
  wait: { resource, requester },
  label = 'Leave the queue',
  back,
  scope,
}: LeaveQueueProps) => (
  <Action
    scope={scope}
    to="/dashboard/leave-queue"
    label={label}
    about={`for ${resource}`}
    fields={{ resource, requester, back }}
  />
);

const TakeAway = ({ hold: { resource, requester }, row, back }: HoldProps & { row: string }) => (
  <a
    class="button danger"
    id={`take-${idOf(`${row}\n${requester}`)}`}
    href={actionPath('take-away', { resource, requester, back })}
  >
    Take away
    <About text={`${resource} from ${requester}`} />
  </a>
);

/** A form of one button, with an id by which the button keeps the focus when the page is renewed. */
const Action = ({
  to,
  label,
  about,
  fields,
  scope = 'row',
}: {
  to: string;
  label: string;
  about: string;
  fields: Readonly<Record<string, string>>;
  /** Where it stands, if the same action stands in a row too. */
  scope?: string | undefined;
}) => (
  <form method="post" action={to}>
    <HiddenFields fields={fields} />
    <button type="submit" id={`${scope}-${idOf([to, ...Object.values(fields)].join('\n'))}`}>
      {label}
      <About text={about} />
    </button>
  </form>
);

/** The subject of an action. Sighted people see it in the row. */
const About = ({ text }: { text: string }) => <span class="out-of-sight"> {text}</span>;

/** An id for something that a text names. */
export const idOf = (text: string): string => hash('sha256', text).slice(0, 16);
