/**
 * A table of ended reservations and waits, the latest first.
 */
import type { PastEntry } from '../../domain/history.ts';
import { span } from '../assets/span.js';
import { howItEnded } from '../words/historyWords.ts';
import { Note } from './heldTable.tsx';
import { resourcePath } from './resourceTree.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export interface HistoryTableProps {
  readonly label: string;
  readonly entries: readonly PastEntry[];
  /** The resource that all entries are of; absent: of several */
  readonly of?: string;
  /** Said if there are no entries. */
  readonly none?: string;
}

const NONE = 'No reservation has ended, as far as the history goes back.';

export const HistoryTable = ({ label, entries, of, none = NONE }: HistoryTableProps) =>
  entries.length === 0 ? (
    <p>{none}</p>
  ) : (
    <Scroll label={label}>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Who</th>
            {of === undefined ? <th scope="col">Resource</th> : <th scope="col">Slot</th>}
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">For</th>
            <th scope="col">Waited</th>
            <th scope="col">How it ended</th>
            <th scope="col">Key</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow entry={entry} isOfOne={of !== undefined} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );

const EntryRow = ({ entry, isOfOne }: { entry: PastEntry; isOfOne: boolean }) => {
  const { requester, resource, slots, mode, note, reservedAt, endedAt, waitedMs, apiKeyLabel } = entry;
  const slot = slots.filter((one) => one !== resource).join(', ');
  return (
    <tr>
      <th scope="row">
        {requester}
        {mode === 'SHARED' && <span class="along">SHARED</span>}
        <Note text={note ?? undefined} />
      </th>
      {isOfOne ? (
        <td data-label="Slot">{slot || '–'}</td>
      ) : (
        <td data-label="Resource">
          <a href={resourcePath(resource)}>{resource}</a>
          {slot !== '' && <span class="along">{slot}</span>}
        </td>
      )}
      <td data-label="From">
        <When at={reservedAt} as="at" none="never had it" />
      </td>
      <td data-label="To">
        <When at={endedAt} as="at" />
      </td>
      <td data-label="For">{reservedAt === null ? '–' : span(endedAt - reservedAt)}</td>
      <td data-label="Waited">{waitedMs === null ? '–' : span(waitedMs)}</td>
      <td data-label="How it ended">{howItEnded(entry)}</td>
      <td data-label="Key">{apiKeyLabel ?? '–'}</td>
    </tr>
  );
};
