/**
 * A table of the audit trail, the latest entries first, in sentences, with a head for each day. Without scripts, days
 * are those of UTC.
 */
import { PERSON_PREFIX } from '../../domain/names.ts';
import type { AuditRow } from '../../store/audit.ts';
import type { NameOf } from '../people.ts';
import { whatWasDone, whoDid } from '../words/auditSentences.ts';
import { DayHead, dayOf } from './pastTable.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export interface AuditTableProps {
  readonly entries: readonly AuditRow[];
  readonly nameOf: NameOf;
  /** True if each entry names its tenant. */
  readonly isOfAll?: boolean;
  /** Said if there are no entries. */
  readonly none: string;
}

export const AuditTable = ({ entries, nameOf, isOfAll = false, none }: AuditTableProps) => {
  const columns = ['When', ...(isOfAll ? ['Tenant'] : []), 'Who', 'What', 'Details', 'Address'];
  const days = new Map<string, AuditRow>();
  for (const entry of entries) if (!days.has(dayOf(entry.at.getTime()))) days.set(dayOf(entry.at.getTime()), entry);
  if (entries.length === 0) return <p class="pad quiet">{none}</p>;
  return (
    <Scroll label="Audit trail">
      <table class="past">
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody data-days={columns.length}>
          {entries.map((entry) => (
            <>
              {days.get(dayOf(entry.at.getTime())) === entry && (
                <DayHead at={entry.at.getTime()} columns={columns.length} />
              )}
              <Entry entry={entry} nameOf={nameOf} isOfAll={isOfAll} />
            </>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
};

const Entry = ({ entry, nameOf, isOfAll }: { entry: AuditRow; nameOf: NameOf; isOfAll: boolean }) => {
  const { sentence, rest } = whatWasDone(entry);
  const isPerson = entry.actor.startsWith(PERSON_PREFIX);
  return (
    <tr data-day={entry.at.getTime()}>
      <td class="from">
        <When at={entry.at} as="second" />
      </td>
      {isOfAll && <td class="what">{entry.tenantId}</td>}
      <th scope="row">{(isPerson ? nameOf : whoDid)(entry.actor)}</th>
      <td class="what">{sentence}</td>
      <td class="note">{rest.join(', ')}</td>
      <td class="ended">{entry.address ?? ''}</td>
    </tr>
  );
};
