/**
 * Cuts the entries of an outbox into batches. A batch has whole entries: none has more events than a delivery may have
 * (lua/events/outbox.lua).
 */
import type { Entry } from '../engine/notices/cursors.ts';
import { isChosen, readLine } from './events.ts';
import type { Choice, NoticeEvent } from './sending.ts';

/** Maximum size of the events of a batch as JSON, in bytes. An entry that is larger goes alone. */
const MAX_BYTES = 262_144 - 1024;

export interface Cut {
  readonly events: readonly NoticeEvent[];
  /** The last entry that is done when these events are sent. */
  readonly last: Entry;
  /** True if no entry is left. */
  readonly isAll: boolean;
}

/**
 * Cuts the next batch.
 * @param maxEvents maximum number of its events, at least that of an entry
 */
export function cut(tenant: string, entries: readonly [Entry, ...Entry[]], choice: Choice, maxEvents: number): Cut {
  const events: NoticeEvent[] = [];
  let bytes = 0;
  let [last] = entries;
  for (const entry of entries) {
    const more = eventsOf(tenant, entry, choice);
    bytes += more.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)) + 1, 0);
    const isFull = events.length + more.length > maxEvents || bytes > MAX_BYTES;
    if (isFull && more.length > 0 && events.length > 0) return { events, last, isAll: false };
    events.push(...more);
    last = entry;
  }
  return { events, last, isAll: true };
}

/** Returns the events of an entry that a subscription chooses. */
export function eventsOf(tenant: string, { id, ms, missed, lines }: Entry, choice: Choice): NoticeEvent[] {
  const events = lines
    .map((line, i) => readLine(line, tenant, `${id}-${i}`, ms))
    .filter((event) => isChosen(choice, event));
  if (missed === 0) return events;
  return [{ id: `${id}-gap`, type: 'GAP', tenantId: tenant, timestamp: new Date(ms).toISOString(), missed }, ...events];
}
