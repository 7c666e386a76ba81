/**
 * A table of reservations: who holds which resource, since when and until when.
 */

import type { Child } from 'hono/jsx';
import type { ActiveReservation } from '../../contract/reservations.ts';
import { Scroll } from './scroll.tsx';
import { When } from './when.tsx';

export interface HeldTableProps {
  readonly label: string;
  readonly held: readonly ActiveReservation[];
  /** The actions for a reservation; absent: none */
  readonly actions?: (one: ActiveReservation) => Child;
}

export const HeldTable = ({ label, held, actions }: HeldTableProps) =>
  held.length === 0 ? (
    <p>None.</p>
  ) : (
    <Scroll label={label}>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Requester</th>
            <th scope="col">Since</th>
            <th scope="col">Free in</th>
            <th scope="col">Type</th>
            <th scope="col">Key</th>
            {actions && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {held.map((one) => (
            <tr>
              <th scope="row">
                {one.reservedAtPath ?? one.resource}
                <Details one={one} />
                <Note text={one.note} />
              </th>
              <td data-label="Requester">{one.requester}</td>
              <td data-label="Since">
                <When at={one.reservedAt} as="since" />
              </td>
              <td data-label="Free in">
                <Until one={one} />
              </td>
              <td data-label="Type">{one.resourceType}</td>
              <td data-label="Key">{one.apiKeyLabel ?? '–'}</td>
              {actions && <td data-label="Actions">{actions(one)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );

/** The end of its lease. A grant that its caller does not know of yet ends earlier. */
const Until = ({ one: { expiresAt, claimBy } }: { one: ActiveReservation }) =>
  claimBy === null ? <When at={expiresAt} as="in" none="no end" /> : <Unclaimed claimBy={claimBy} />;

/** Says that a grant of a waiting request is not claimed yet. */
export const Unclaimed = ({ claimBy }: { claimBy: string }) => (
  <>
    granted, to be claimed within <When at={claimBy} as="in" />
  </>
);

/** Why something is held or wanted, if its request said so. */
export const Note = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <span class="along note">{text}</span>;

/** Its mode, slots and blockers. */
const Details = ({ one }: { one: ActiveReservation }) => {
  const ofPools = Object.values(one.acquiredSlots ?? {});
  const slots = [...new Set([...ofPools, ...(one.slots ?? [])])];
  const parts = [
    ...(one.mode === 'SHARED' ? ['SHARED'] : []),
    ...(slots.length > 0 ? [`${slots.length === 1 ? 'slot' : 'slots'} ${slots.join(', ')}`] : []),
    ...(one.acquiredBlockers ? [`blocks ${one.acquiredBlockers.join(', ')}`] : []),
  ];
  return parts.length === 0 ? null : <span class="along">{parts.join('; ')}</span>;
};
