/**
 * The actions of a person in the rows of the Board: the reservations that hold a resource, and its condition.
 */
import type { SlotState } from '../../engine/reservations/holders.ts';
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import { mayEnd } from '../../operations/permissions.ts';
import type { Board } from '../board/readBoard.ts';
import type { BoardRow } from '../board/rows.ts';
import type { Viewer } from '../env.ts';
import { isOwnOf } from '../people.ts';
import { may } from '../viewer.ts';
import { isPool } from './boardNow.tsx';
import type { ActionRow, RowHold, SlotCounts } from './rowActions.tsx';

/** The conditions of a single slot. */
export const countsOf = (notReady: SlotCondition | undefined): SlotCounts => ({
  slots: 1,
  out: notReady?.condition === 'out' ? 1 : 0,
  dirty: notReady?.condition === 'dirty' ? 1 : 0,
});

/** The actions of a row. Of a pool, only the own reservations: those of others are with its slots. */
export function actionsOf({ state, shut, isStale, isBookable }: BoardRow, viewer: Viewer): ActionRow {
  const isMine = isOwnOf(viewer);
  const holds = [
    ...new Map(state.slots.flatMap(rowHolds).map((hold) => [`${hold.resource}\n${hold.requester}`, hold])).values(),
  ];
  return {
    resource: state.name,
    isFree: state.capacity === null ? null : state.free > 0 && shut === null,
    holds: isPool(state) ? holds.filter(({ requester }) => isMine(requester)) : holds,
    isStale: isStale && !isPool(state),
    conditions: conditionsOf(state),
    isBookable,
  };
}

/** Only registered resources have conditions. A group has no slots. */
const conditionsOf = ({ isRegistered, capacity, outOfService, dirty }: BoardRow['state']): SlotCounts | null =>
  isRegistered && capacity !== null ? { slots: capacity, out: outOfService, dirty } : null;

/** The reservations that hold a slot. */
export function rowHolds({ slot, hold }: SlotState): RowHold[] {
  if (hold === null || hold.kind === 'along') return [];
  if (hold.kind === 'shared')
    return hold.sharers.map((requester) => ({
      resource: slot,
      requester,
      claimBy: null,
      mode: 'SHARED',
    }));
  return [
    {
      resource: hold.resource,
      requester: hold.holder,
      claimBy: hold.isUnclaimed ? hold.until : null,
      condition: hold.condition,
    },
  ];
}

/** True if the person can reserve the resource of a row now. */
export const isTakeable = ({ state, shut }: BoardRow, viewer: Viewer): boolean =>
  may(viewer, 'reserve') && state.isRegistered && state.capacity !== null && state.free > 0 && shut === null;

/** Returns the number of rows of the page that can be reserved together. */
export const takeable = (board: Board, viewer: Viewer): number =>
  board.sections.flatMap(({ rows }) => rows).filter((row) => isTakeable(row, viewer)).length;

/** Returns the number of reservations of the page that can be selected. */
export const selectable = (board: Board, { user }: Viewer): number =>
  board.sections
    .flatMap(({ rows }) => rows)
    .flatMap(({ state }) => state.slots)
    .filter((slot) => rowHolds(slot).some(({ requester }) => mayEnd(user, requester))).length;
