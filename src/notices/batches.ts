/**
 * Cuts the entries of an outbox into batches. A batch has whole entries: none has more events than a delivery may have
 * (lua/events/outbox.lua).
 */
import { isChosen, readLine } from './events.ts';
import type { Choice, NoticeEvent } from './sending.ts';

/** Maximum size of the events of a batch as JSON, in bytes. An entry that is larger goes alone. */
const MAX_BYTES = 262_144 - 1024;

/** An entry of an outbox: events that one script made. */
export interface Entry {
  /** Its id in the stream. */
  readonly id: string;
  /** The time of its events, in ms since 1970 UTC. */
  readonly ms: number;
  /** Number of events that this reader has missed before it. null: nobody knows how many */
  readonly missed: number | null;
  /** The events, as scripts publish them. */
  readonly lines: readonly string[];
}

export interface Cut {
  readonly events: readonly NoticeEvent[];
  /** The last entry that is done when these events are sent. */
  readonly to: string;
  /** True if no entry is left. */
  readonly isAll: boolean;
}

/**
 * Cuts the next batch.
 * @param entries at least one
 * @param maxEvents maximum number of its events, at least that of an entry
 */
export function cut(tenant: string, entries: readonly Entry[], choice: Choice, maxEvents: number): Cut {
  const events: NoticeEvent[] = [];
  let bytes = 0;
  let to = '';
  for (const entry of entries) {
    const more = eventsOf(tenant, entry, choice);
    bytes += more.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)) + 1, 0);
    const isFull = events.length + more.length > maxEvents || bytes > MAX_BYTES;
    if (isFull && more.length > 0 && events.length > 0) return { events, to, isAll: false };
    events.push(...more);
    to = entry.id;
  }
  return { events, to, isAll: true };
}

/** Returns the events of an entry that a subscription chooses. */
export function eventsOf(tenant: string, { id, ms, missed, lines }: Entry, choice: Choice): NoticeEvent[] {
  const events = lines
    .map((line, i) => readLine(line, tenant, `${id}-${i}`, ms))
    .filter((event) => isChosen(choice, event));
  if (missed === 0) return events;
  return [{ id: `${id}-gap`, type: 'GAP', tenantId: tenant, timestamp: new Date(ms).toISOString(), missed }, ...events];
}
