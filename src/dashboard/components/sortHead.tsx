/**
 * The head of a column that sorts a table by it: a link to the same page in this order.
 */

export type Order = 'asc' | 'desc';

export interface SortHeadProps {
  readonly label: string;
  /** The order of the table, if it is sorted by this column; undefined: it is not */
  readonly order: Order | undefined;
  /** The address of the page in the order that the head leads to. */
  readonly href: string;
}

export const SortHead = ({ label, order, href }: SortHeadProps) => (
  <th scope="col" aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}>
    <a href={href}>{label}</a>
    {order && <span aria-hidden="true">{order === 'asc' ? ' ↑' : ' ↓'}</span>}
  </th>
);
