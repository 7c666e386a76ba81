/**
 * The bar of the table of the Board that releases the selected reservations, or everything, and reserves the selected
 * rows that are free, together.
 */
import { linkTo } from '../board/query.ts';
import type { Board } from '../board/readBoard.ts';
import type { Viewer } from '../env.ts';
import { may } from '../viewer.ts';
import { number } from '../words/numbers.ts';
import { selectable, takeable } from './boardActions.ts';
import { SELECTED } from './boardSlots.tsx';
import { Confirm } from './confirm.tsx';

/** Where its forms go. */
export const RELEASES_AT = '/dashboard/reservations';

export const BulkBar = ({ board, viewer }: { board: Board; viewer: Viewer }) => {
  const { query } = board;
  const count = selectable(board, viewer);
  return (
    <div class="bulk">
      {(count > 0 || takeable(board, viewer) > 0) && (
        <form id={SELECTED} method="post" action={linkTo(query, {}, `${RELEASES_AT}/selected`)}>
          <input type="hidden" name="back" value={linkTo(query)} />
          <button type="submit" id="release-selected">
            Release the selected …
          </button>
          <button type="submit" id="reserve-selected" formaction="/dashboard/reserve" formmethod="get">
            Reserve together …
          </button>
          {count > 0 && (
            <a
              class="button quiet"
              id="select-all"
              href={linkTo(query, { isSelected: !query.isSelected, page: query.page })}
            >
              {query.isSelected ? 'Select none' : `Select all ${number(count)} of this page`}
            </a>
          )}
        </form>
      )}
      {may(viewer, 'reset') && (
        <Confirm
          id="reset"
          label="Release everything"
          question="Release all reservations of this tenant, and end all waits? Their holders learn it when they renew or release. Registered resources stay."
          action={linkTo(query, {}, `${RELEASES_AT}/reset`)}
        >
          <label class="typed-name">
            Type the name of the tenant, {viewer.user.tenantName}
            <input name="tenant" required autocomplete="off" />
          </label>
        </Confirm>
      )}
    </div>
  );
};
