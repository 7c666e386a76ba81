/**
 * Parts of the page of a resource: its state in a sentence, its slots, and what a reservation of it takes along.
 */
import type { Child } from 'hono/jsx';
import type { UsageFigures } from '../../contract/history.ts';
import { type Hold, holderText } from '../../engine/reservations/holders.ts';
import type { Along, HeldSlot, ResourceState } from '../../engine/reservations/resource.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';

import { span } from '../assets/span.js';
import type { Viewer } from '../env.ts';
import type { Details } from '../resource/resourceDetails.ts';
import { number } from '../words/numbers.ts';
import { waitingText } from '../words/waitingWords.ts';
import { Note } from './heldTable.tsx';
import { Held, NotAvailable } from './holdSentence.tsx';
import { resourcePath } from './resourceTree.tsx';
import { RowActions, type RowHold } from './rowActions.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

interface PartProps {
  readonly details: Details;
  readonly viewer: Viewer;
  /** The address of the page, to which actions lead back. */
  readonly back: string;
}

/** Who has it, since when and until when; who is next; what is in the way; and what the viewer can do. */
export const StatePart = ({ details, viewer, back }: PartProps) => {
  const { name, state, inTheWay } = details;
  const { registered, holds, held } = state;
  const isPool = registered !== null && registered.capacity !== 1;
  const [first] = holds;
  const heldNow = isPool || first === undefined ? undefined : first;
  const capacity = registered === null ? 1 : registered.capacity;
  const isShut = heldNow === undefined && inTheWay !== null && capacity === 1;
  return (
    <section class="state" aria-label="State" data-live="state">
      <p class={isShut ? 'sentence full' : stateClass(state)}>
        {isShut ? 'Not available' : heldNow === undefined ? <Free state={state} /> : <Held one={heldNow} />}
        <Queue state={state} />
      </p>
      <Note text={heldNow?.hold.note} />
      {inTheWay !== null && <NotAvailable by={inTheWay} />}
      {state.resource !== null && (
        <RowActions
          row={{
            resource: name,
            isFree: capacity === null ? null : held < capacity && inTheWay === null,
            holds: holds.flatMap(isPool ? ownHolds(viewer) : holdsOf),
          }}
          viewer={viewer}
          back={back}
        />
      )}
    </section>
  );
};

const stateClass = ({ registered, held }: ResourceState): string => {
  const capacity = registered === null ? 1 : registered.capacity;
  if (capacity === null) return 'sentence';
  return `sentence ${held >= capacity ? 'full' : held > 0 ? 'some' : 'free'}`;
};

const Free = ({ state: { resource, registered, held } }: { state: ResourceState }) => {
  if (resource === null) return <>Nobody can reserve this name now: it means no resource.</>;
  const capacity = registered === null ? 1 : registered.capacity;
  if (capacity === null) return <>A group: it has no slots of its own</>;
  return <>{capacity === 1 ? 'Free' : `${Math.max(0, capacity - held)} of ${capacity} free`}</>;
};

/** How many wait, and who is next. */
const Queue = ({ state: { queue, waiting, plan } }: { state: ResourceState }) => {
  const lacks = new Set(plan.map(({ name }) => name));
  const own = queue.filter(({ place, request: { waitsFor } }) => waitsFor === place || lacks.has(waitsFor));
  const [next] = own;
  if (next === undefined) return <>.</>;
  const count = Math.max(waiting, own.length);
  return <>; {waitingText(count, next.request)}.</>;
};

/** The reservations of a slot, as actions take them. */
function holdsOf({ hold, shares }: HeldSlot): RowHold[] {
  const all = hold.kind === 'shared' ? shares : [hold];
  return all.flatMap((one) =>
    one.kind !== 'own'
      ? []
      : [
          {
            resource: one.resource,
            requester: one.holder,
            claimBy: one.isUnclaimed ? one.until : null,
            ...(hold.kind === 'shared' && { mode: 'SHARED' as const }),
          },
        ],
  );
}

/** The viewer's own reservations: those of others stand beside their slots. */
const ownHolds =
  ({ user }: Viewer) =>
  (slot: HeldSlot): RowHold[] =>
    holdsOf(slot).filter(({ requester }) => requester === requesterOf(user));

/** The slots of a pool, or those who share a resource. */
export const SlotsPart = ({ details, viewer, back, link }: PartProps & { link: (page: number) => string }) => {
  const { slots, state, page, pages, inTheWay } = details;
  const held = new Map(state.holds.map((one) => [one.slot, one]));
  const isPool = slots.length > 1 || page > 1;
  const shares = isPool ? [] : (state.holds[0]?.shares ?? []);
  if (!isPool && shares.length < 2) return <div data-live="slots" />;
  return (
    <section aria-labelledby="slots-title" data-live="slots">
      <h2 id="slots-title">{isPool ? 'Slots' : 'Who shares it'}</h2>
      <Scroll label={isPool ? 'Slots and their holders' : 'Those who share it'}>
        <table class="stacked slots">
          <thead>
            <tr>
              <th scope="col">{isPool ? 'Slot' : 'Resource'}</th>
              <th scope="col">Held by</th>
              <th scope="col">Since</th>
              <th scope="col">Free in</th>
              <th scope="col">Key</th>
              {isPool && <th scope="col">Actions</th>}
            </tr>
          </thead>
          <tbody>
            {isPool
              ? slots.map((slot) => (
                  <SlotRow slot={slot} hold={held.get(slot)?.hold} isShut={inTheWay !== null}>
                    <td data-label="Actions">
                      <RowActions
                        row={{
                          resource: slot,
                          isFree: !held.has(slot) && inTheWay === null,
                          holds: [held.get(slot)].flatMap((one) => (one ? holdsOf(one) : [])),
                        }}
                        viewer={viewer}
                        back={back}
                      />
                    </td>
                  </SlotRow>
                ))
              : shares.map((hold) => <SlotRow slot={slots[0] ?? ''} hold={hold} isShut={false} />)}
          </tbody>
        </table>
      </Scroll>
      {pages > 1 && (
        <nav class="pages" aria-label="Pages of slots">
          {page > 1 && <a href={link(page - 1)}>Previous</a>} Page {page} of {pages}{' '}
          {page < pages && <a href={link(page + 1)}>Next</a>}
        </nav>
      )}
    </section>
  );
};

interface SlotRowProps {
  readonly slot: string;
  readonly hold: Hold | undefined;
  /** Whether an ancestor keeps others from it. */
  readonly isShut: boolean;
  readonly children?: Child;
}

const SlotRow = ({ slot, hold, isShut, children }: SlotRowProps) => (
  <tr class={hold ? 'held' : isShut ? 'shut' : 'free'} id={`slot-${slot}`}>
    <th scope="row">{slot}</th>
    <td data-label="Held by">
      {hold ? holderText(hold) : isShut ? 'free, but not available' : 'free'}
      <Note text={hold?.note} />
    </td>
    <td data-label="Since">
      <When at={hold?.since} as="since" />
    </td>
    <td data-label="Free in">
      {hold?.isUnclaimed ? 'granted, to be claimed within ' : ''}
      <When at={hold?.until} as="in" none={hold?.kind === 'own' ? 'no end' : '–'} />
    </td>
    <td data-label="Key">{hold?.keyLabel || '–'}</td>
    {children}
  </tr>
);

/** What a reservation of it takes along. */
export const PlanPart = ({ plan }: { plan: readonly Along[] }) =>
  plan.length === 0 ? null : (
    <section aria-labelledby="plan-title" data-live="plan">
      <h2 id="plan-title">Taken along</h2>
      <p>Who reserves it also takes a slot of each of these:</p>
      <ul class="plan">
        {plan.map((one) => (
          <li>
            <a href={resourcePath(one.name)}>{one.name}</a>{' '}
            <span class="quiet">{one.role === 'ancestor' ? 'above it' : 'blocker'}</span>: {alongText(one)}
          </li>
        ))}
      </ul>
    </section>
  );

const SYSTEM = 'system:';

function alongText({ capacity, held, owner }: Along): string {
  if (capacity === 0) return 'not valid, so nobody can reserve it';
  if (capacity > 1) return `${Math.max(0, capacity - held)} of ${capacity} free`;
  if (owner.startsWith(SYSTEM)) return `taken along by ${owner.slice(SYSTEM.length)}`;
  if (owner !== '') return `held by ${owner}`;
  return 'free';
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
/** How much it was used in the last 7 days, and how long people waited for it. */
export const UsagePart = ({ usage }: { usage: UsageFigures | null }) =>
  usage === null ? null : (
    <section aria-labelledby="usage-title" data-live="usage">
      <h2 id="usage-title">The last 7 days</h2>
      <dl class="figures">
        <Figure name="In use" value={percent.format(usage.share)} />
        <Figure name="Reservations" value={number(usage.reservations)} />
        <Figure name="Held for" value={secondsText(usage.meanHeldSeconds, usage.p95HeldSeconds)} />
        <Figure name="Waited" value={secondsText(usage.meanWaitedSeconds, usage.p95WaitedSeconds)} />
        <Figure name="Refused" value={number(usage.refusals)} />
      </dl>
    </section>
  );

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const secondsText = (mean: number | null, p95: number | null): string =>
  mean === null || p95 === null ? '–' : `${span(mean * 1000)} on average, 95 of 100 at most ${span(p95 * 1000)}`;
