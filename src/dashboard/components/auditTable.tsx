/**
 * A table of the audit trail, the latest entries first, in sentences.
 */
import type { AuditRow } from '../../store/audit.ts';
import { whatWasDone, whoDid } from '../auditSentences.ts';
import { Scroll } from './scroll.tsx';
import { Time } from './time.tsx';

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
      <table>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
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
      <td>
        <Time at={entry.at} />
      </td>
      {isOfAll && <td>{entry.tenantId}</td>}
      <td>
        {whoDid(entry.actor)} {sentence}
      </td>
      <td>{rest.join(', ')}</td>
      <td>{entry.address ?? '–'}</td>
    </tr>
  );
};
