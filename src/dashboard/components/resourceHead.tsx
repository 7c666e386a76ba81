/**
 * The head of the page of a resource: where it is, what it is, what the person can do, and its pages.
 */
import type { Child } from 'hono/jsx';
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { HeldSlot } from '../../engine/reservations/resource.ts';
import { BOARD } from '../board/query.ts';
import { bookPath } from '../bookings/paths.ts';
import type { Viewer } from '../env.ts';
import { capacityOf } from '../resource/facts.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import type { Details, Tab } from '../resource/resourceDetails.ts';
import { may } from '../viewer.ts';
import { number } from '../words/numbers.ts';
import { resourcePath } from './resourceTree.tsx';
import { type ActionRow, RowActions, type RowHold } from './rowActions.tsx';

export interface HeadProps {
  readonly details: Details;
  readonly viewer: Viewer;
  readonly tab: Tab;
  /** The address of the page, to which actions lead back. */
  readonly back: string;
  readonly link: (tab: Tab) => string;
}

export const ResourceHead = (props: HeadProps) => {
  const { details, viewer, back, link } = props;
  const { name, state } = details;
  const edit = may(viewer, 'define') && (
    <a class="button quiet" href={link('definition')}>
      {state.registered === null ? 'Register it' : 'Edit or delete'}
    </a>
  );
  return (
    <>
      <Crumbs name={name} path={state.registered?.treePath ?? ''} />
      <div class="hero" data-live="head">
        <div>
          <h1>{name}</h1>
          <About details={details} />
        </div>
        <div class="end">
          {state.resource !== null && (
            <RowActions
              row={rowOf(details)}
              viewer={viewer}
              back={back}
              more={edit ? [edit] : []}
              second={
                state.registered?.isBookable &&
                may(viewer, 'reserve') && (
                  <a class="button" href={bookPath({ resource: name, back })} data-shortcut="b">
                    Book a time<span class="out-of-sight"> {name}</span>
                  </a>
                )
              }
            />
          )}
        </div>
      </div>
      <PageTabs {...props} />
    </>
  );
};

const Crumbs = ({ name, path }: { name: string; path: string }) => (
  <nav class="crumbs" aria-label="Path">
    <ol>
      <li>
        <a href={BOARD}>Board</a>
      </li>
      {(path === '' ? [] : path.split(PATH_DELIMITER)).map((one) => (
        <li>
          <a href={resourcePath(one)}>{one}</a>
        </li>
      ))}
      <li aria-current="page">{name}</li>
    </ol>
  </nav>
);

/** Names that a line shows. */
const MAX_NAMES = 3;

/** Labels, what it takes along, and what is below it. */
const About = ({ details: { state, below } }: { details: Details }) => {
  const { registered, plan } = state;
  const parts: Child[] = [
    ...(registered === null ? ['not registered'] : []),
    ...(plan.length === 0 ? [] : [<Names before="takes " names={plan.map(({ name }) => name)} after=" along" />]),
    ...(below.roots.length === 0 ? [] : [<Names names={below.roots.map(({ name }) => name)} after=" below it" />]),
  ];
  const labels = labelTexts(registered?.labels ?? {});
  if (parts.length + labels.length === 0) return null;
  return (
    <p>
      {labels.map((label) => (
        <>
          <span class="tag">{label}</span>{' '}
        </>
      ))}
      {parts.map((part, i) => (
        <>
          {(i > 0 || labels.length > 0) && ' · '}
          {part}
        </>
      ))}
    </p>
  );
};

const Names = ({ before = '', names, after }: { before?: string; names: readonly string[]; after: string }) => (
  <>
    {before}
    {names.slice(0, MAX_NAMES).map((name, i) => (
      <>
        {i > 0 && ', '}
        <a href={resourcePath(name)}>{name}</a>
      </>
    ))}
    {names.length > MAX_NAMES && ` and ${names.length - MAX_NAMES} more`}
    {after}
  </>
);

/** The row whose actions the head has: of a pool only those for the person's own slots, since others have rows. */
function rowOf({ name, state, inTheWay }: Details): ActionRow {
  const capacity = capacityOf(state);
  const isGroup = state.registered?.capacity === null;
  const { registered, free, outOfService, dirty } = state;
  return {
    resource: name,
    isFree: isGroup ? null : free > 0 && inTheWay === null,
    holds: capacity > 1 ? [] : state.holds.flatMap(holdsOf),
    conditions: registered === null || isGroup ? null : { slots: capacity, out: outOfService, dirty },
  };
}

/** The reservations of a slot, as actions take them. */
export function holdsOf({ hold, shares }: Pick<HeldSlot, 'hold' | 'shares'>): RowHold[] {
  const all = hold.kind === 'shared' ? shares : [hold];
  return all.flatMap((one) =>
    one.kind !== 'own'
      ? []
      : [
          {
            resource: one.resource,
            requester: one.holder,
            claimBy: one.isUnclaimed ? one.until : null,
            condition: one.condition,
            ...(hold.kind === 'shared' && { mode: 'SHARED' as const }),
          },
        ],
  );
}

const TAB_NAMES: readonly (readonly [Tab, string])[] = [
  ['now', 'Now'],
  ['history', 'History'],
  ['events', 'Events'],
  ['definition', 'Definition'],
];

const PageTabs = ({ details: { name, usage, state }, viewer, tab, link }: HeadProps) => (
  <nav class="tabs" aria-label={`About ${name}`}>
    {TAB_NAMES.filter(([one]) => one !== 'definition' || (may(viewer, 'define') && state.resource !== null)).map(
      ([one, title]) => (
        <a href={link(one)} aria-current={one === tab ? 'page' : undefined}>
          {title}
          {one === 'history' && usage !== null && usage.total.reservations > 0 && (
            <span class="meta"> {number(usage.total.reservations)} this week</span>
          )}
        </a>
      ),
    )}
  </nav>
);
