/**
 * Rows of the Board: each resource with its state, who holds it, why, since when and until when, and who is next. A
 * pool opens to its slots.
 */
import type { Child } from 'hono/jsx';
import { type Hold, holderText, type SlotState } from '../../engine/reservations/holders.ts';
import type { ResourceState } from '../../engine/reservations/states.ts';
import { isOwn } from '../../operations/permissions.ts';
import type { Viewer } from '../env.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import { number, ordinal } from '../words/numbers.ts';
import { Note } from './heldTable.tsx';
import { resourcePath } from './resourceTree.tsx';
import { idOf, RowActions, type RowHold } from './rowActions.tsx';
import { When } from './when.tsx';

/** Holders of a pool that its row names; slots that all pools of a page show together. */
const MAX_HOLDERS = 3;
const MAX_SLOTS = 160;
/** Held slots of pools up to which each can be taken away in its row; beyond, on the page of the pool. */
const MAX_TAKEN = 30;
/** Levels of the tree that are shown further right than the one before. */
const MAX_INDENT = 6;

export interface BoardTableProps {
  readonly label: string;
  readonly rows: readonly ResourceState[];
  /** Whether the rows are the tree, from the roots down: then they are indented. */
  readonly isTree: boolean;
  readonly viewer: Viewer;
  /** The address of the page. */
  readonly back: string;
}

export const BoardTable = ({ label, rows, isTree, viewer, back }: BoardTableProps) => {
  const pools = rows.filter(isPool).length;
  const slots = Math.max(2, Math.floor(MAX_SLOTS / Math.max(1, pools)));
  const heldSlots = rows.filter(isPool).reduce((sum, row) => sum + holdsOf(row).length, 0);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const common = { slots, isTree, viewer, back, byName, hasSlotActions: heldSlots <= MAX_TAKEN };
  return (
    <table class="stacked board" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Resource</th>
          <th scope="col">State</th>
          <th scope="col">Held by</th>
          <th scope="col">Time</th>
          <th scope="col">Queue</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <Row row={row} isFirst={i === 0} {...common} />
        ))}
      </tbody>
    </table>
  );
};

interface RowProps extends Pick<BoardTableProps, 'isTree' | 'viewer' | 'back'> {
  readonly row: ResourceState;
  /** The rows of the page. */
  readonly byName: ReadonlyMap<string, ResourceState>;
  /** Slots to show of a pool, and whether each held one can be taken away here. */
  readonly slots: number;
  readonly hasSlotActions: boolean;
  readonly isFirst: boolean;
}

const isPool = ({ capacity }: ResourceState) => (capacity ?? 0) > 1;

const Row = (props: RowProps) => {
  const { row, byName, isTree, isFirst, viewer, back } = props;
  const { name, above, labels } = row;
  const only = row.slots[0]?.hold ?? null;
  const shown = labelTexts(labels);
  // The ancestors of the first row of a page are on the pages before.
  const hasPath = above.length > 0 && (!isTree || isFirst);
  return (
    <tr data-name={name} id={`row-${idOf(name)}`}>
      <th scope="row" class={isTree ? `level-${Math.min(MAX_INDENT, above.length)}` : undefined}>
        {hasPath && <span class="along">{above.join(' › ')} ›</span>}
        <a href={resourcePath(name)}>{name}</a>
        {shown.length > 0 && <span class="along">{shown.join(', ')}</span>}
        {isPool(row) && <Slots {...props} />}
      </th>
      <td data-label="State">
        <State row={row} />
      </td>
      <td data-label="Held by">{isPool(row) ? <PoolHolders row={row} /> : <Holder hold={only} />}</td>
      <td data-label="Time">
        {isPool(row) ? <PoolTimes row={row} viewer={viewer} /> : <Times hold={only} />}
        {stateOf(row) === 'shut' && <ShutTimes row={row} full={byName.get(row.fullAncestor ?? '')} />}
      </td>
      <td data-label="Queue">
        <Queue row={row} />
      </td>
      <td data-label="Actions">
        <RowActions row={actionsOf(row, viewer)} viewer={viewer} back={back} />
      </td>
    </tr>
  );
};

/** What can be done about a row. Of a pool, only the own reservations: those of others are with their slots. */
function actionsOf(row: ResourceState, { user }: Viewer) {
  const holds = uniqueBy(row.slots.flatMap(rowHolds), ({ resource, requester }) => `${resource}\n${requester}`);
  return {
    resource: row.name,
    isFree: row.capacity === null ? null : row.held < row.capacity && !isShut(row),
    holds: isPool(row) ? holds.filter(({ requester }) => isOwn(user, requester)) : holds,
  };
}

/** The reservations that hold a slot. */
function rowHolds({ slot, hold }: SlotState): RowHold[] {
  if (hold === null || hold.kind === 'along') return [];
  if (hold.kind === 'shared')
    return hold.sharers.map((requester) => ({ resource: slot, requester, claimBy: null, mode: 'SHARED' }));
  return [{ resource: hold.resource, requester: hold.holder, claimBy: hold.isUnclaimed ? hold.until : null }];
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** State → its shape, so that no state is told by its color alone. */
const SHAPES = { group: '▸', free: '○', some: '◐', full: '■', held: '●', shut: '◇' } as const;

/** Whether an ancestor or a blocker keeps others from it. */
const isShut = ({ fullAncestor, blockedBy }: ResourceState) => fullAncestor !== null || blockedBy !== null;

function stateOf(row: ResourceState): keyof typeof SHAPES {
  const { capacity, held } = row;
  if (capacity === null) return 'group';
  if (held >= capacity) return capacity === 1 ? 'held' : 'full';
  if (isShut(row)) return 'shut';
  return held === 0 ? 'free' : 'some';
}

const State = ({ row }: { row: ResourceState }) => {
  const { capacity, held, fullAncestor, blockedBy } = row;
  const state = stateOf(row);
  const free = Math.max(0, (capacity ?? 0) - held);
  const text = capacity !== null && capacity > 1 ? `${number(free)} of ${number(capacity)} free` : state;
  return (
    <span class={`state ${state}`}>
      <span aria-hidden="true">{SHAPES[state]}</span> {state === 'shut' ? 'not available' : text}
      {state === 'shut' && fullAncestor !== null && (
        <>
          : <a href={resourcePath(fullAncestor)}>{fullAncestor}</a> is in use
        </>
      )}
      {state === 'shut' && blockedBy !== null && (
        <>
          : its blocker <a href={resourcePath(blockedBy.name)}>{blockedBy.name}</a> is not free
        </>
      )}
    </span>
  );
};

const Holder = ({ hold }: { hold: Hold | null }) =>
  hold && (
    <>
      {holderText(hold)}
      {hold.keyLabel !== '' && <span class="along">key {hold.keyLabel}</span>}
      <Note text={hold.note} />
    </>
  );

/** Since when, and until when, as far as its holds are of their own reservations. */
const Times = ({ hold }: { hold: Hold | null }) => {
  if (hold === null || hold.kind !== 'own') return null;
  return (
    <>
      since <When at={hold.since} as="since" />
      <br />
      <Ending hold={hold} />
    </>
  );
};

const Ending = ({ hold: { until, hasSession, isUnclaimed } }: { hold: Hold }) => {
  if (hasSession) return <>while its session is kept</>;
  if (until === null) return <>no end</>;
  return (
    <>
      {isUnclaimed ? 'granted, to be taken in' : 'free in'} <When at={until} as="in" />
    </>
  );
};

const holdsOf = ({ slots }: ResourceState): Hold[] => slots.flatMap(({ hold }) => (hold === null ? [] : [hold]));

/** The first who hold slots of a pool, and how many more slots are held. */
const PoolHolders = ({ row }: { row: ResourceState }) => {
  const names = [...new Set(holdsOf(row).map(holderText))];
  const shown = new Set(names.slice(0, MAX_HOLDERS));
  const others = row.held - holdsOf(row).filter((hold) => shown.has(holderText(hold))).length;
  return (
    <>
      {[...shown].join(', ')}
      {others > 0 && ` and ${number(others)} more`}
    </>
  );
};

/** When the blocker or ancestor that keeps others from a resource becomes free, if that is a single thing. */
const ShutTimes = ({ row, full }: { row: ResourceState; full: ResourceState | undefined }) => {
  const ofAncestor = full === undefined || isPool(full) ? null : (full.slots[0]?.hold ?? null);
  const hold = row.blockedBy?.hold ?? ofAncestor;
  return hold?.kind === 'own' ? <Ending hold={hold} /> : null;
};

/** The person's own slots of a pool, and until when they have them; else when its next slot becomes free. */
const PoolTimes = ({ row, viewer }: { row: ResourceState; viewer: Viewer }) => {
  const own = row.slots.flatMap(({ slot, hold }) =>
    hold?.kind === 'own' && isOwn(viewer.user, hold.holder) ? [{ slot, hold }] : [],
  );
  if (own.length > 0)
    return (
      <>
        {own.map(({ slot, hold }) => (
          <div>
            you have <strong>{slot}</strong>, <Ending hold={hold} />
          </div>
        ))}
      </>
    );
  return <NextFree row={row} />;
};

/** When the next slot of a pool becomes free, if none is. */
const NextFree = ({ row }: { row: ResourceState }) => {
  if (row.capacity === null || row.held < row.capacity || row.held > row.slots.length) return null;
  const ends = holdsOf(row).flatMap(({ until, hasSession }) => (until === null || hasSession ? [] : [until]));
  const [first] = ends.sort();
  return first === undefined ? null : (
    <>
      a slot free in <When at={first} as="in" />
    </>
  );
};

const Queue = ({ row: { waiting, queue, place } }: { row: ResourceState }) => {
  const next = queue[0]?.requester ?? null;
  if (waiting === 0) return null;
  return (
    <>
      {number(waiting)} waiting
      {place !== null && <strong class="along">you are {ordinal(place)}</strong>}
      {next !== null && <span class="along">next: {next}</span>}
    </>
  );
};

const Slots = ({ row: { name, capacity, slots }, slots: limit, hasSlotActions, viewer, back }: RowProps) => {
  const shown = slots.slice(0, limit);
  const others = (capacity ?? 0) - shown.length;
  return (
    <details id={`slots-${idOf(name)}`}>
      <summary>
        Slots<span class="out-of-sight"> of {name}</span>
      </summary>
      <ul class="board-slots">
        {shown.map((one) => (
          <Slot one={one}>
            {hasSlotActions && one.hold && !isOwn(viewer.user, one.hold.holder) && (
              <RowActions
                row={{ resource: one.slot, isFree: null, holds: rowHolds(one) }}
                viewer={viewer}
                back={back}
              />
            )}
          </Slot>
        ))}
        {others > 0 && (
          <li>
            <a href={resourcePath(name)}>
              and {number(others)} more<span class="out-of-sight"> slots of {name}</span>
            </a>
          </li>
        )}
      </ul>
    </details>
  );
};

const Slot = ({ one: { slot, hold }, children }: { one: SlotState; children: Child }) => (
  <li class={`state ${hold === null ? 'free' : 'held'}`}>
    <span aria-hidden="true">{hold === null ? SHAPES.free : SHAPES.held}</span> <strong>{slot}</strong>{' '}
    {hold === null ? (
      'free'
    ) : (
      <>
        {holderText(hold)}
        {hold.kind === 'own' && (
          <>
            , since <When at={hold.since} as="since" />, <Ending hold={hold} />
          </>
        )}
        <Note text={hold.note} />
        {children}
      </>
    )}
  </li>
);
