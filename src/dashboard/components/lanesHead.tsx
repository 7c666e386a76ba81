/**
 * The head of a table of lines of time: what a line is of, and the axis.
 */
import type { Child } from 'hono/jsx';

export const LanesHead = ({ of, axis }: { of: string; axis: Child }) => (
  <>
    <colgroup>
      <col class="what" />
      <col />
    </colgroup>
    <thead>
      <tr>
        <th scope="col">{of}</th>
        <th scope="col" class="track">
          {axis}
        </th>
      </tr>
    </thead>
  </>
);
