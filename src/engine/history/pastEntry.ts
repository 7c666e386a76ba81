/**
 * Reads an entry of a tenant's history, as lua/history/ended.lua writes it.
 */
import { z } from 'zod';
import type { Ending, PastEntry } from '../../domain/history.ts';
import { WAIT_ENDINGS } from '../../domain/history.ts';
import { DEFAULT_RESOURCE_TYPE } from '../../domain/names.ts';
import { MODES } from '../../domain/reservations.ts';
import { readRecord } from '../reservations/slotRecord.ts';

/** The names of the fields: how a reservation ended. */
const ENDING_OF: ReadonlyMap<string, Ending> = new Map([
  ['R', 'RELEASED'],
  ['E', 'EXPIRED'],
  ['T', 'TAKEN_AWAY'],
  ['S', 'SESSION_ENDED'],
  ['X', 'RESET'],
]);
/** The field of a wait, and of a time out of service. */
const WAIT = 'W';
const OUT = 'O';

const Wait = z.object({
  number: z.coerce.number().int(),
  resource: z.string(),
  requester: z.string(),
  type: z.string(),
  label: z.string(),
  mode: z.enum(MODES),
  note: z.string().optional(),
  since: z.number(),
  at: z.number(),
  ending: z.enum(WAIT_ENDINGS),
});

const Out = z.object({
  number: z.coerce.number().int(),
  resource: z.string(),
  slot: z.string(),
  since: z.number(),
  at: z.number(),
  requester: z.string(),
  actor: z.string(),
  reason: z.string(),
});

/** A field of an entry of the stream: one reservation, wait or time out of service. */
export interface StreamField {
  readonly field: string;
  readonly value: Buffer;
}

/** @returns null for an entry that this version does not know */
export function readPastEntry({ field, value }: StreamField): PastEntry | null {
  if (field === WAIT) return readWait(value);
  if (field === OUT) return readOut(value);
  const ending = ENDING_OF.get(field);
  const slotEnd = value.indexOf('\n');
  const headEnd = value.indexOf('\n', slotEnd + 1);
  if (ending === undefined || headEnd < 0) return null;
  const own = value.toString('utf8', 0, slotEnd);
  const head = value.toString('utf8', slotEnd + 1, headEnd);
  const blank = head.indexOf(' ');
  const record = readRecord(own, value.subarray(headEnd + 1));
  if (record === null) return null;
  const { details } = record;
  // That of a shared hold has its requester behind it (lua/slots/shared.lua).
  const slot = own.split('\u0001', 1)[0] ?? own;
  const resource = record.pool || slot;
  return {
    kind: 'RESERVATION',
    number: record.fencingToken,
    resource,
    requestedName: record.requestedName === resource ? null : record.requestedName,
    slots: details.o ?? [slot],
    requester: record.requester,
    resourceType: record.resourceType || DEFAULT_RESOURCE_TYPE,
    mode: details.m ?? 'EXCLUSIVE',
    apiKeyLabel: record.keyLabel || null,
    note: details.x?.note ?? null,
    waitedMs: details.x?.waited ?? null,
    reservedAt: record.reservedAt,
    endedAt: Number(head.slice(0, blank)),
    ending: record.isUnclaimed && ending !== 'RESET' ? 'NOT_CLAIMED' : ending,
    actor: head.slice(blank + 1) || null,
    booking: details.x?.booking ?? null,
  };
}

function readWait(value: Buffer): PastEntry {
  const wait = Wait.parse(JSON.parse(value.toString()));
  const { number, resource, requester, type, label, mode, note, since, at, ending } = wait;
  return {
    kind: 'WAIT',
    number,
    resource,
    requestedName: null,
    slots: [],
    requester,
    resourceType: type || DEFAULT_RESOURCE_TYPE,
    mode,
    apiKeyLabel: label || null,
    note: note ?? null,
    waitedMs: at - since,
    reservedAt: null,
    endedAt: at,
    ending,
    actor: null,
    booking: null,
  };
}

/** The actor of a time out of service whose details were lost. */
const NOBODY = 'the service';

function readOut(value: Buffer): PastEntry {
  const { number, resource, slot, since, at, requester, actor, reason } = Out.parse(JSON.parse(value.toString()));
  return {
    kind: 'OUT_OF_SERVICE',
    number,
    resource,
    requestedName: null,
    slots: [slot],
    requester: requester || NOBODY,
    resourceType: DEFAULT_RESOURCE_TYPE,
    mode: 'EXCLUSIVE',
    apiKeyLabel: null,
    note: reason || null,
    waitedMs: null,
    reservedAt: since,
    endedAt: at,
    ending: 'OUT_OF_SERVICE',
    actor: actor || null,
    booking: null,
  };
}
