/**
 * Makes the events of deliveries out of the lines that scripts keep in the outbox. They are the events of streams
 * (src/events/message.ts), but parsed, since a subscription chooses by their type and resource.
 */
import { z } from 'zod';
import { Change, Event, fieldsMissingFrom } from '../contract/events.ts';
import { EVENT_TYPES } from '../domain/eventTypes.ts';
import type { Choice, Happened, NoticeEvent } from './sending.ts';

const isoTime = z
  .int()
  .transform((ms) => new Date(ms).toISOString())
  .nullable()
  .optional();

/** A line: lua/events/events.lua describes it. The times of leases are in ms there. */
const Line = z.looseObject({
  type: z.string(),
  expiresAt: isoTime,
  claimBy: isoTime,
  changes: z
    .array(z.looseObject({ expiresAt: isoTime }))
    .nullable()
    .optional(),
});

/** Type → the fields that events of the type do not have, each with null. */
const nullsOf = new Map<string, Readonly<Record<string, null>>>(
  EVENT_TYPES.map((type) => [type, Object.fromEntries(fieldsMissingFrom(type).map((field) => [field, null]))]),
);

/** Fields that a later version adds are kept. */
const WithId = Event.loose().extend({ id: z.string(), changes: z.array(Change.loose()).nullable() });

/**
 * Reads a line of the outbox.
 * @param atMs the time of the change, in ms since 1970 UTC
 * @throws ZodError if a later version wrote it, in a way that this one does not know
 */
export function readLine(line: string, tenantId: string, id: string, atMs: number): Happened {
  const { type, ...fields } = Line.parse(JSON.parse(line));
  const timestamp = new Date(atMs).toISOString();
  return WithId.parse({ id, type, tenantId, timestamp, ...nullsOf.get(type), ...fields });
}

/** Returns true if a subscription chooses an event. What is missing is always told. */
export function isChosen({ types, prefix }: Choice, event: NoticeEvent): boolean {
  if (event.type === 'GAP' || event.type === 'TEST') return true;
  if (!types.includes('*') && !types.includes(event.type)) return false;
  const { resource, changes } = event;
  if (resource !== null) return resource.startsWith(prefix);
  return changes === null || changes.some((change) => change.resource.startsWith(prefix));
}
