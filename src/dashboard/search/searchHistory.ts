/**
 * Searches the history for a page, also by how entries ended, which no index has. It reads only as many entries as it
 * can while a person waits.
 */

import type { Ending, History, HistoryFilter, PastEntry, PastPage } from '../../domain/history.ts';
import { fillPage } from '../../operations/history.ts';

/** Entries that one step reads, and the most steps of a search by ending. */
const STEP = 300;
const MAX_STEPS = 10;

export interface HistorySearch {
  readonly filter: HistoryFilter;
  /** undefined: any */
  readonly ending: Ending | undefined;
  readonly cursor: string | undefined;
  /** The most entries of the page. */
  readonly rows: number;
}

/**
 * @param payMore charges further reads of a page
 * @returns the page, which may have no entries although older ones match: `next` then leads on
 * @throws HoldfastError refused if the cursor is none of the history; unavailable
 */
export async function searchHistory(
  history: History,
  tenant: string,
  { filter, ending, cursor, rows }: HistorySearch,
  payMore: () => Promise<void>,
): Promise<PastPage> {
  if (ending === undefined) return fillPage(history, tenant, filter, cursor, rows, payMore);
  const found: PastEntry[] = [];
  let from = cursor;
  for (let step = 0; step < MAX_STEPS; step++) {
    const { entries, next } = await history.page(tenant, filter, from, STEP);
    for (const [i, entry] of entries.entries()) {
      if (entry.ending !== ending) continue;
      found.push(entry);
      // The page ends within the step: a step that ends here has the cursor after it.
      if (found.length === rows)
        return { entries: found, next: (await history.page(tenant, filter, from, i + 1)).next };
    }
    if (next === null) return { entries: found, next: null };
    from = next;
  }
  return { entries: found, next: from ?? null };
}
