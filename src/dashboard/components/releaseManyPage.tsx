/**
 * The question before selected reservations are released: how many, which, and whose.
 */

import { isOwn } from '../../operations/permissions.ts';
import { type Hold, textOfHold } from '../actions/releaseMany.ts';
import { BOARD, type BoardQuery, linkTo } from '../board/query.ts';
import type { Viewer } from '../env.ts';
import { RELEASES_AT } from './bulkBar.tsx';
import { Page } from './layout.tsx';

export interface ReleaseManyPageProps {
  readonly viewer: Viewer;
  /** At least one. */
  readonly selected: readonly Hold[];
  /** The view that they were selected in. */
  readonly query: BoardQuery;
}

export const ReleaseManyPage = ({ viewer, selected, query }: ReleaseManyPageProps) => {
  const others = selected.filter(({ requester }) => !isOwn(viewer.user, requester)).length;
  const count = selected.length === 1 ? '1 reservation' : `${selected.length} reservations`;
  return (
    <Page title={`Release ${count}?`} viewer={viewer} at={BOARD}>
      {others > 0 && (
        <p>
          {others === selected.length ? 'Others hold them' : `Others hold ${others} of them`}: these are taken away.
          Their holders learn it when they next renew or release, and from the events. The events also say that it was
          you.
        </p>
      )}
      <ul>
        {selected.map(({ resource, requester }) => (
          <li class="note">
            <strong>{resource}</strong>, held by {requester}
          </li>
        ))}
      </ul>
      <form method="post" action={linkTo(query, {}, `${RELEASES_AT}/release`)} class="buttons">
        {selected.map((one) => (
          <input type="hidden" name="one" value={textOfHold(one)} />
        ))}
        <button type="submit" class="danger">
          Release {count}
        </button>{' '}
        <a class="button" href={linkTo({ ...query, isSelected: false })}>
          Cancel
        </a>
      </form>
    </Page>
  );
};
