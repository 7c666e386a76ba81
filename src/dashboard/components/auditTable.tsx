/**
 * A table of the audit trail, the latest entries first, in sentences.
 */
import type { AuditRow } from '../../store/audit.ts';
import { whatWasDone, whoDid } from '../words/auditSentences.ts';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export interface AuditTableProps {
  readonly entries: readonly AuditRow[];
  /** Whether to name the tenant of each entry. */
  readonly isOfAll?: boolean;
}

export const AuditTable = ({ entries, isOfAll = false }: AuditTableProps) =>
  entries.length === 0 ? (
    <p>No entries.</p>
  ) : (
    <Scroll label="Audit trail">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">When</th>
            {isOfAll && <th scope="col">Tenant</th>}
            <th scope="col">What</th>
            <th scope="col">Details</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Entry entry={entry} isOfAll={isOfAll} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );

const Entry = ({ entry, isOfAll }: { entry: AuditRow; isOfAll: boolean }) => {
  const { sentence, rest } = whatWasDone(entry);
  return (
    <tr>
      <td data-label="When">
        <When at={entry.at} as="at" />
      </td>
      {isOfAll && <td data-label="Tenant">{entry.tenantId}</td>}
      <td data-label="What">
        {whoDid(entry.actor)} {sentence}
      </td>
      <td data-label="Details">{rest.join(', ')}</td>
      <td data-label="From">{entry.address ?? '–'}</td>
    </tr>
  );
};
