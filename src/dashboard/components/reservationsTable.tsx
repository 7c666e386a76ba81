/**
 * The table of the page of reservations: sorted by its heads, with a box in each row that selects it for the form
 * `selected`.
 */
import type { ActiveReservation } from '../../contract/reservations.ts';
import { mayEnd } from '../../operations/permissions.ts';
import { textOfHold } from '../actions/releaseMany.ts';
import type { Viewer } from '../env.ts';
import { addressOf, orderOf, type Query, type Sort, usualOrder } from '../search/reservationsQuery.ts';
import { Details, Note, Until } from './heldTable.tsx';
import { resourcePath } from './resourceTree.tsx';
import { RowActions } from './rowActions.tsx';
import { Scroll, SortHead } from './tableParts.tsx';
import { When } from './when.tsx';

/** The id of the form that the boxes belong to. */
export const SELECTED = 'selected';

export interface ReservationsTableProps {
  readonly held: readonly ActiveReservation[];
  readonly query: Query;
  readonly viewer: Viewer;
}

export const ReservationsTable = ({ held, query, viewer }: ReservationsTableProps) => (
  <Scroll label="Reservations">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">
            <span class="out-of-sight">Selected</span>
          </th>
          <Head query={query} sort="resource" label="Resource" />
          <Head query={query} sort="requester" label="Requester" />
          <Head query={query} sort="created" label="Created" />
          <Head query={query} sort="ends" label="Ends" />
          <th scope="col">Type</th>
          <th scope="col">Key</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {held.map((one) => (
          <Row one={one} query={query} viewer={viewer} />
        ))}
      </tbody>
    </table>
  </Scroll>
);

const Head = ({ query, sort, label }: { query: Query; sort: Sort; label: string }) => {
  const order = query.sort === sort ? orderOf(query) : undefined;
  const next = order === undefined ? usualOrder(sort) : order === 'asc' ? 'desc' : 'asc';
  return <SortHead label={label} order={order} href={addressOf(query, { sort, order: next, page: 1 })} />;
};

const Row = ({ one, query, viewer }: { one: ActiveReservation; query: Query; viewer: Viewer }) => (
  <tr>
    <td data-label="Select">
      {mayEnd(viewer.user, one.requester) && (
        <input
          type="checkbox"
          id={`select-${one.fencingToken}`}
          form={SELECTED}
          name="one"
          value={textOfHold(one)}
          checked={query.select === 'page'}
          aria-label={`Select ${one.resource} of ${one.requester}`}
        />
      )}
    </td>
    <th scope="row">
      <a href={resourcePath(one.resource)}>{one.reservedAtPath ?? one.resource}</a>
      <Details one={one} />
      <Note text={one.note} />
    </th>
    <td data-label="Requester">{one.requester}</td>
    <td data-label="Created">
      <When at={one.reservedAt} as="ago" />
    </td>
    <td data-label="Ends">
      <Until one={one} />
    </td>
    <td data-label="Type">{one.resourceType}</td>
    <td data-label="Key">{one.apiKeyLabel ?? '–'}</td>
    <td data-label="Actions">
      <RowActions
        row={{ resource: one.resource, isFree: false, holds: [one] }}
        viewer={viewer}
        back={addressOf({ ...query, select: '' })}
      />
    </td>
  </tr>
);
