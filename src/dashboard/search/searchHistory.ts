/**
 * Searches the history for a page, also by parts of names and by how entries ended, which no index has. It reads only
 * as many entries as it can while a person waits.
 */
import type { Ending, History, HistoryFilter, PastEntry, PastPage } from '../../domain/history.ts';
import { fillPage } from '../../operations/history.ts';

/** Entries that one step reads, and the most steps of a search that no index helps. */
const STEP = 1000;
const MAX_STEPS = 10;

export interface HistoryWish {
  /** A part of the name, or the whole name in quotes; '' any */
  readonly resource: string;
  readonly requester: string;
  /** Uses that lie at least in part between these times. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** undefined: any */
  readonly ending: Ending | undefined;
}

/** The whole name in quotes; undefined: it is a part of one */
const wholeOf = (text: string): string | undefined => /^"(.*)"$/s.exec(text)?.[1];

/** The part of a wish that an index serves. */
export const filterOf = ({ resource, requester, from, to }: HistoryWish): HistoryFilter => ({
  resource: wholeOf(resource),
  requester: wholeOf(requester),
  from,
  beganBefore: to,
});

/** The part of an entry that a search looks at. Something that is held now has not ended. */
type Searched = Pick<PastEntry, 'resource' | 'slots' | 'requester'> & { readonly ending: Ending | null };

/** Returns what an entry must be beside the filter; null: nothing else. */
export function wantedBy({ resource, requester, ending }: HistoryWish): ((entry: Searched) => boolean) | null {
  const part = (text: string) => (wholeOf(text) === undefined ? text.toLowerCase() : '');
  const [inResource, inRequester] = [part(resource), part(requester)];
  if (inResource === '' && inRequester === '' && ending === undefined) return null;
  return (entry) =>
    (ending === undefined || entry.ending === ending) &&
    [entry.resource, ...entry.slots].some((name) => name.toLowerCase().includes(inResource)) &&
    entry.requester.toLowerCase().includes(inRequester);
}

/**
 * @param rows the most entries of the page
 * @param payMore charges further reads of a page
 * @returns the page, which may have no entries although older ones match: `next` then leads on
 * @throws HoldfastError refused if the cursor is none of the history; unavailable
 */
export async function searchHistory(
  history: History,
  tenant: string,
  wish: HistoryWish,
  { cursor, rows }: { readonly cursor: string | undefined; readonly rows: number },
  payMore: () => Promise<void>,
): Promise<PastPage> {
  const filter = filterOf(wish);
  const isWanted = wantedBy(wish);
  if (isWanted === null) return fillPage(history, tenant, filter, cursor, rows, payMore);
  const found: PastEntry[] = [];
  let from = cursor;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (step > 0) await payMore();
    const { entries, next } = await history.page(tenant, filter, from, STEP);
    for (const [i, entry] of entries.entries()) {
      if (!isWanted(entry)) continue;
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
