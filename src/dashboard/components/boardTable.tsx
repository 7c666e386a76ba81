/**
 * The rows of the Board as one table, by groups that fold: each resource with its labels, what it is doing now, its
 * timeline, and what the person can do. Without the timeline it has boxes to select reservations.
 */
import { PATH_DELIMITER } from '../../domain/names.ts';
import { type BoardQuery, linkTo, type Sort, withFold } from '../board/query.ts';
import type { Board, BoardSection } from '../board/readBoard.ts';
import type { BoardRow } from '../board/rows.ts';
import type { Viewer } from '../env.ts';
import { isOwnOf } from '../people.ts';
import { EmptyTimeline, Timeline, TimelineAxis, TimelineDefs } from '../timeline/timeline.tsx';
import { labelWords } from '../words/labels.ts';
import { number } from '../words/numbers.ts';
import { actionsOf } from './boardActions.ts';
import { isPool, Now } from './boardNow.tsx';
import { HoldCells, RowBox, SlotRow } from './boardSlots.tsx';
import { Icon } from './icon.tsx';
import { MAX_INDENT, resourcePath } from './resourceTree.tsx';
import { idOf, RowActions } from './rowActions.tsx';
import { SortHead, type SortHeadProps } from './tableParts.tsx';
import { When } from './when.tsx';

const GROUP_HEIGHT = 32;

export interface BoardTableProps {
  readonly board: Board;
  readonly viewer: Viewer;
  /** The page that actions lead back to. */
  readonly back?: string | undefined;
}

export const BoardTable = ({ board, viewer, back }: BoardTableProps) => {
  const { query, frame, sections } = board;
  const isTable = query.view === 'table';
  return (
    <>
      {!isTable && <TimelineDefs frame={frame} />}
      <table
        class={isTable ? 'board list' : 'board'}
        aria-label={isTable ? 'Resources, and who has them' : 'Resources, who has them, and when they are free'}
      >
        <thead>
          <tr>
            {isTable && (
              <th scope="col" class="c-box">
                <span class="out-of-sight">Select</span>
              </th>
            )}
            {isTable ? (
              <Head query={query} sort="name" label="Resource" class="c-name" />
            ) : (
              <th scope="col" class="c-name">
                Resource
              </th>
            )}
            <th scope="col" class="c-now">
              Now
            </th>
            {isTable ? (
              <>
                <Head query={query} sort="waiting" label="Waiting since" />
                <Head query={query} sort="since" label="Held since" />
                <th scope="col">Key used</th>
              </>
            ) : (
              <th scope="col" class="time">
                <TimelineAxis frame={frame} goesOn />
              </th>
            )}
            <th scope="col" class="c-act">
              <span class="out-of-sight">Actions</span>
            </th>
          </tr>
        </thead>
        {sections.map((section) => (
          <tbody>
            {hasHead(board, section) && <GroupRow section={section} query={query} />}
            {section.rows.map((row) => (
              <Row row={row} isChild={section.group !== '' && section.isRegistered} {...{ board, viewer, back }} />
            ))}
          </tbody>
        ))}
      </table>
    </>
  );
};

interface HeadProps extends Pick<SortHeadProps, 'label' | 'class'> {
  readonly query: BoardQuery;
  readonly sort: Sort;
}

/** The head of a column, which sorts by it: names from A, who waits longest, what is held longest. Again: by groups. */
const Head = ({ query, sort, ...props }: HeadProps) => {
  const isSorted = query.sort === sort;
  return (
    <SortHead order={isSorted ? 'asc' : undefined} href={linkTo(query, { sort: isSorted ? null : sort })} {...props} />
  );
};

/** A Board of resources without groups has no heads. */
export const hasHead = ({ sections }: Board, { group }: BoardSection): boolean => group !== '' || sections.length > 1;

/** The name of a group: the last part of its path, and the parts above that. */
export function titleOf({ group, isRegistered }: BoardSection): { readonly title: string; readonly above: string } {
  if (!isRegistered) return { title: 'Not registered', above: '' };
  if (group === '') return { title: 'Without a group', above: '' };
  const path = group.split(PATH_DELIMITER);
  return { title: path.at(-1) ?? '', above: path.slice(0, -1).join(' › ') };
}

/** `9 of 20 free`; of names that are not registered, how many there are. */
export const countText = ({ isRegistered, free, total }: BoardSection): string =>
  isRegistered ? `${number(free)} of ${number(total)} free` : number(total);

const GroupRow = ({ section, query }: { section: BoardSection; query: BoardQuery }) => {
  const { group, isFolded } = section;
  const { title, above } = titleOf(section);
  const isTable = query.view === 'table';
  return (
    <tr class="group">
      <th scope="rowgroup" colspan={isTable ? 7 : 2}>
        <a
          class="fold"
          id={`fold-${idOf(group)}`}
          href={linkTo(query, { folded: withFold(query, group) })}
          aria-expanded={isFolded ? 'false' : 'true'}
        >
          <Icon name="down" />
          <span class="out-of-sight">Rows of {title}</span>
        </a>
        <GroupName section={section} />{' '}
        <span class="meta">
          {countText(section)}
          {above !== '' && ` · in ${above}`}
        </span>
      </th>
      {!isTable && (
        <>
          <td class="time">
            <EmptyTimeline height={GROUP_HEIGHT} />
          </td>
          <td />
        </>
      )}
    </tr>
  );
};

/** A group that is registered has a page. */
export const GroupName = ({ section }: { section: BoardSection }) => {
  const { title } = titleOf(section);
  return section.isRegistered && section.group !== '' ? <a href={resourcePath(title)}>{title}</a> : <b>{title}</b>;
};

interface RowProps extends BoardTableProps {
  readonly row: BoardRow;
  /** True if it stands below the head of a group. */
  readonly isChild: boolean;
}

const Row = (props: RowProps) => {
  const { row, isChild, board, viewer, back = linkTo(board.query) } = props;
  const { state, level, timeline } = row;
  const { waits } = board;
  const isTable = board.query.view === 'table';
  const indent = Math.min(MAX_INDENT, level + (isChild ? 1 : 0));
  return (
    <>
      <tr data-name={state.name} id={`row-${idOf(state.name)}`}>
        {isTable && (
          <td class="c-box">
            <RowBox row={row} board={board} viewer={viewer} />
          </td>
        )}
        <th scope="row" class={indent > 0 ? `level-${indent}` : undefined}>
          <NameCell row={row} />
        </th>
        <td class="doing">
          <Now row={row} nameOf={board.nameOf} isOwn={isOwnOf(viewer)} />
        </td>
        {isTable ? (
          <>
            <td class="wide">
              {state.waiting > 0 && <Waiting count={state.waiting} sinceMs={waits.get(state.name)} />}
            </td>
            <HoldCells slot={isPool(state) ? undefined : state.slots[0]} />
          </>
        ) : (
          <td class="time">
            <Timeline row={timeline} />
          </td>
        )}
        <td class="act">
          <RowActions row={actionsOf(row, viewer)} viewer={viewer} back={back} />
        </td>
      </tr>
      {isTable &&
        isPool(state) &&
        state.slots.map((slot) => {
          const notReady = state.notReady.find((one) => one.slot === slot.slot);
          return (slot.hold || notReady) && <SlotRow slot={slot} notReady={notReady} {...props} />;
        })}
    </>
  );
};

/** Since when the first waits, and how many do if there are more. @param props.sinceMs undefined: not known */
const Waiting = ({ count, sinceMs }: { count: number; sinceMs: number | undefined }) => (
  <>
    {sinceMs !== undefined && <When at={sinceMs} as="clock" />}
    {count > 1 && ` · ${number(count)} wait`}
  </>
);

export const NameCell = ({ row: { state } }: { row: BoardRow }) => {
  const { name, labels } = state;
  // A word that is the name says nothing new.
  const words = labelWords(labels).filter((word) => word !== name);
  return (
    <>
      <a href={resourcePath(name)}>{name}</a>
      {words.length > 0 && <span class="meta">{words.join(' · ')}</span>}
    </>
  );
};
