/**
 * The slots of a pool in the table of the Board: those that somebody holds or that are not ready.
 */
import type { SlotState } from '../../engine/reservations/holders.ts';
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import { mayEnd } from '../../operations/permissions.ts';
import { textOfHold } from '../actions/releaseMany.ts';
import { linkTo } from '../board/query.ts';
import type { Board } from '../board/readBoard.ts';
import type { BoardRow } from '../board/rows.ts';
import type { Viewer } from '../env.ts';
import { isOwnOf } from '../people.ts';
import { CONDITION_WORDS } from '../words/conditionWords.ts';
import { countsOf, isTakeable, rowHolds } from './boardActions.ts';
import { isPool } from './boardNow.tsx';
import { ConditionPhrase, SinceAndWhy } from './conditionParts.tsx';
import { idOf, RowActions } from './rowActions.tsx';
import { When } from './when.tsx';

/** The form that the boxes of the rows belong to. */
export const SELECTED = 'selected';

interface SlotRowProps {
  readonly row: BoardRow;
  readonly board: Board;
  readonly viewer: Viewer;
  readonly slot: SlotState;
  readonly notReady: SlotCondition | undefined;
}

/** A slot of a pool that somebody holds, or that is not ready, in the table. */
export const SlotRow = ({ row: { state }, slot, notReady, board, viewer }: SlotRowProps) => {
  const isMine = isOwnOf(viewer);
  return (
    <tr id={`row-${idOf(slot.slot)}`} class="slot">
      <td class="c-box">
        <Box slot={slot} board={board} viewer={viewer} />
      </td>
      <th scope="row" class="level-2">
        {slot.slot}
      </th>
      <td class="doing">
        <SlotNow slot={slot} notReady={notReady} board={board} viewer={viewer} />
      </td>
      <td class="wide" />
      <HoldCells slot={slot} />
      <td class="act">
        <RowActions
          row={{
            resource: slot.slot,
            isFree: null,
            holds: rowHolds(slot).filter(({ requester }) => !isMine(requester)),
            conditions: state.isRegistered ? countsOf(notReady) : null,
          }}
          viewer={viewer}
          back={linkTo(board.query)}
        />
      </td>
    </tr>
  );
};

const SlotNow = ({ slot: { hold }, notReady, board, viewer }: Omit<SlotRowProps, 'row'>) => {
  if (hold === null)
    return (
      notReady && (
        <>
          <span class={`state ${notReady.condition}`}>{CONDITION_WORDS[notReady.condition]}</span>
          <span class="meta">
            <SinceAndWhy one={notReady} />
          </span>
        </>
      )
    );
  const isMine = hold.kind === 'own' && isOwnOf(viewer)(hold.holder);
  return (
    <>
      <span class={`state ${isMine ? 'mine' : 'busy'}`}>
        {hold.kind === 'own' ? board.nameOf(hold.holder) : 'Held along'}
      </span>
      {(hold.kind === 'own' || notReady) && (
        <span class="meta">
          {hold.kind === 'own' && <When at={hold.hasSession ? null : hold.until} as="clock" none="no end" />}
          {notReady && (
            <>
              {' · '}
              <ConditionPhrase one={notReady} />
            </>
          )}
          {hold.note !== undefined && ` · ${hold.note}`}
        </span>
      )}
    </>
  );
};

export const HoldCells = ({ slot }: { slot: SlotState | undefined }) => (
  <>
    <td class="wide">
      <When at={slot?.hold?.since} as="clock" none="" />
    </td>
    <td class="wide">{slot?.hold?.keyLabel}</td>
  </>
);

/** The box of a row: it selects the reservation that the person may end, or what is free, to reserve it. */
export const RowBox = ({ row, board, viewer }: Pick<SlotRowProps, 'row' | 'board' | 'viewer'>) => {
  const { name } = row.state;
  if (!isTakeable(row, viewer))
    return <Box slot={isPool(row.state) ? undefined : row.state.slots[0]} board={board} viewer={viewer} />;
  return (
    <label class="check">
      <input
        type="checkbox"
        id={`select-${idOf(name)}`}
        form={SELECTED}
        name="resource"
        value={name}
        aria-label={`Select ${name}, to reserve it`}
      />
    </label>
  );
};

interface BoxProps {
  readonly slot: SlotState | undefined;
  readonly board: Board;
  readonly viewer: Viewer;
}

/** The box that selects the reservation of a slot, if the person may end it. */
export const Box = ({ slot, board, viewer }: BoxProps) => {
  const hold = slot === undefined ? undefined : rowHolds(slot).find(({ requester }) => mayEnd(viewer.user, requester));
  if (slot === undefined || hold === undefined) return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        id={`select-${idOf(slot.slot)}`}
        form={SELECTED}
        name="one"
        value={textOfHold(hold)}
        checked={board.query.isSelected}
        aria-label={`Select ${hold.resource} of ${hold.requester}`}
      />
    </label>
  );
};
