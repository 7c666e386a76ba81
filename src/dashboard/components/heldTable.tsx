/**
 * A table of reservations: who holds which resource, since when and until when.
 */

import type { ActiveReservation } from '../../contract/reservations.ts';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export interface HeldTableProps {
  readonly label: string;
  readonly held: readonly ActiveReservation[];
}

export const HeldTable = ({ label, held }: HeldTableProps) =>
  held.length === 0 ? (
    <p>None.</p>
  ) : (
    <Scroll label={label}>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Requester</th>
            <th scope="col">Created</th>
            <th scope="col">Ends</th>
            <th scope="col">Key</th>
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
              <td data-label="Created">
                <When at={one.reservedAt} as="ago" />
              </td>
              <td data-label="Ends">
                <Until one={one} />
              </td>
              <td data-label="Key">{one.apiKeyLabel ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );

/** The end of its lease. A grant that its caller does not know of yet ends earlier. */
export const Until = ({ one: { expiresAt, claimBy } }: { one: ActiveReservation }) =>
  claimBy === null ? <When at={expiresAt} as="ago" none="no end" /> : <Unclaimed claimBy={claimBy} />;

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
export const Details = ({ one }: { one: ActiveReservation }) => {
  const ofPools = Object.values(one.acquiredSlots ?? {});
  const slots = [...new Set([...ofPools, ...(one.slots ?? [])])];
  const parts = [
    ...(one.mode === 'SHARED' ? ['SHARED'] : []),
    ...(slots.length > 0 ? [`${slots.length === 1 ? 'slot' : 'slots'} ${slots.join(', ')}`] : []),
    ...(one.acquiredBlockers ? [`blocks ${one.acquiredBlockers.join(', ')}`] : []),
  ];
  return parts.length === 0 ? null : <span class="along">{parts.join('; ')}</span>;
};
