/**
 * The history as CSV for people: with durations, so that a spreadsheet can add them up. Times are in UTC.
 */
import type { PastEntry } from '../../domain/history.ts';
import { PERSON_PREFIX } from '../../domain/names.ts';
import { csvRows } from '../../http/call/csv.ts';
import type { OpenList } from '../../operations/lists.ts';
import { ENDING_WORDS, whoDid } from '../words/auditSentences.ts';

const COLUMNS = [
  'Resource',
  'Slots',
  'Who',
  'What for',
  'From (UTC)',
  'To (UTC)',
  'Held',
  'Waited',
  'Ended',
  'By',
  'Key',
];

/** `26:06:00`: hours may be more than a day has. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
}

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

const cellsOf = (entry: PastEntry): string[] => {
  const { resource, slots, requester, note, reservedAt, endedAt, waitedMs, ending, actor, apiKeyLabel } = entry;
  return [
    resource,
    slots.filter((slot) => slot !== resource).join(' '),
    requester.startsWith(PERSON_PREFIX) ? requester.slice(PERSON_PREFIX.length) : requester,
    note ?? '',
    reservedAt === null ? '' : timeText(reservedAt),
    timeText(endedAt),
    reservedAt === null ? '' : durationText(endedAt - reservedAt),
    waitedMs === null ? '' : durationText(waitedMs),
    ENDING_WORDS[ending],
    actor === null ? '' : whoDid(actor),
    apiKeyLabel ?? '',
  ];
};

/**
 * @param list closed once it has been read, or its reader has gone
 * @param isWanted null: all entries are
 */
export function csvOf(
  { pages, close }: OpenList<PastEntry>,
  isWanted: ((entry: PastEntry) => boolean) | null,
): ReadableStream<Uint8Array> {
  const { write, end } = csvRows(COLUMNS, cellsOf);
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const page = await pages.next();
        const text = page.done === true ? end() : write(page.value.filter((entry) => isWanted?.(entry) ?? true));
        controller.enqueue(encoder.encode(text));
        if (page.done !== true) return;
        close();
        controller.close();
      } catch (error) {
        close();
        controller.error(error);
      }
    },
    cancel: () => close(),
  });
}
