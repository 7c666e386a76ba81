/**
 * Searches the audit trail for a page, also by a part of who did it, which no index has. It reads only as many entries
 * as it can while a person waits.
 */
import { type AuditPage, anyTrail } from '../../operations/audit.ts';
import type { AuditFilter, AuditRow } from '../../store/audit.ts';
import type { Store } from '../../store/records.ts';

/** Entries that one step reads, and the most steps of a search. */
const STEP = 1000;
const MAX_STEPS = 10;

/**
 * @param who a part of who did it, or the whole in quotes; '' anybody
 * @param before the id of an entry: only older entries are read
 * @throws HoldfastError unavailable
 */
export async function searchTrail(
  store: Store,
  filter: AuditFilter,
  who: string,
  before: number | undefined,
  rows: number,
): Promise<AuditPage> {
  const whole = /^"(.*)"$/s.exec(who)?.[1];
  if (who === '' || whole !== undefined) return anyTrail(store, { ...filter, actor: whole }, before, rows);
  const part = who.toLowerCase();
  const found: AuditRow[] = [];
  let from = before;
  for (let step = 0; step < MAX_STEPS; step++) {
    const { entries, next } = await anyTrail(store, filter, from, STEP);
    for (const entry of entries) {
      if (!entry.actor.toLowerCase().includes(part)) continue;
      found.push(entry);
      if (found.length === rows) return { entries: found, next: entry.id };
    }
    if (next === null) return { entries: found, next: null };
    from = next;
  }
  return { entries: found, next: from ?? null };
}
