/**
 * Who holds what, since when and until when.
 */

import type { Child } from 'hono/jsx';
import type { ActiveReservation } from '../../contract/reservations.ts';
import { Scroll } from './scroll.tsx';
import { Time } from './time.tsx';

export interface HeldTableProps {
  readonly label: string;
  readonly held: readonly ActiveReservation[];
  /** What can be done with one; absent: nothing */
  readonly actions?: (one: ActiveReservation) => Child;
}

export const HeldTable = ({ label, held, actions }: HeldTableProps) =>
  held.length === 0 ? (
    <p>None.</p>
  ) : (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Requester</th>
            <th scope="col">Since (UTC)</th>
            <th scope="col">Until (UTC)</th>
            <th scope="col">Type</th>
            <th scope="col">Key</th>
            {actions && <th scope="col">What to do</th>}
          </tr>
        </thead>
        <tbody>
          {held.map((one) => (
            <tr>
              <th scope="row">
                {one.reservedAtPath ?? one.resource}
                <Along one={one} />
              </th>
              <td>{one.requester}</td>
              <td>
                <Time at={one.reservedAt} />
              </td>
              <td>
                <Time at={one.expiresAt} none="no end" />
              </td>
              <td>{one.resourceType}</td>
              <td>{one.apiKeyLabel ?? '–'}</td>
              {actions && <td>{actions(one)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );

/** What is held along with it. */
const Along = ({ one }: { one: ActiveReservation }) => {
  const slots = Object.values(one.acquiredSlots ?? {});
  const parts = [
    ...(slots.length > 0 ? [`slot ${slots.join(', ')}`] : []),
    ...(one.acquiredBlockers ? [`blocks ${one.acquiredBlockers.join(', ')}`] : []),
  ];
  return parts.length === 0 ? null : <span class="along">{parts.join('; ')}</span>;
};
