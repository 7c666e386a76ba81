/**
 * The rows of the Board as cards, by groups: for a look at what is free.
 */
import { linkTo } from '../board/query.ts';
import type { BoardRow } from '../board/rows.ts';
import type { Viewer } from '../env.ts';
import { isOwnOf } from '../people.ts';
import { actionsOf } from './boardActions.ts';
import { Now } from './boardNow.tsx';
import { type BoardTableProps, countText, GroupName, hasHead, NameCell, titleOf } from './boardTable.tsx';
import { idOf, RowActions } from './rowActions.tsx';

export const BoardGrid = ({ board, viewer }: BoardTableProps) => (
  <>
    {board.sections.map((section) => {
      const { above } = titleOf(section);
      return (
        <section class="cards">
          {hasHead(board, section) && (
            <h2>
              {above !== '' && <span class="meta">{above} › </span>}
              <GroupName section={section} /> <span class="meta">{countText(section)}</span>
            </h2>
          )}
          <ul>
            {section.rows.map((row) => (
              <Card row={row} board={board} viewer={viewer} />
            ))}
          </ul>
        </section>
      );
    })}
  </>
);

const Card = ({ row, board, viewer }: BoardTableProps & { row: BoardRow; viewer: Viewer }) => (
  <li data-row id={`row-${idOf(row.state.name)}`} data-name={row.state.name}>
    <NameCell row={row} />
    <Now row={row} nameOf={board.nameOf} isOwn={isOwnOf(viewer)} />
    <RowActions row={actionsOf(row, viewer)} viewer={viewer} back={linkTo(board.query)} />
  </li>
);
