/**
 * Parts of tables: the region that scrolls, and heads that sort.
 */
import type { Child } from 'hono/jsx';

/** A region that scrolls by itself, also by keyboard: for content larger than a small screen. */
export const Scroll = ({ label, children }: { label: string; children: Child }) => (
  <section class="scroll" tabindex={0} aria-label={label}>
    {children}
  </section>
);

export type Order = 'asc' | 'desc';

export interface SortHeadProps {
  readonly label: string;
  /** The order of the table, if it is sorted by this column; undefined: it is not */
  readonly order: Order | undefined;
  /** The address of the page in the order that the head leads to. */
  readonly href: string;
  readonly class?: string;
}

/** The head of a column that sorts a table by it: a link to the same page in this order. */
export const SortHead = ({ label, order, href, class: classes }: SortHeadProps) => (
  <th scope="col" class={classes} aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}>
    <a href={href}>{label}</a>
    {order && <span aria-hidden="true">{order === 'asc' ? ' ↑' : ' ↓'}</span>}
  </th>
);
