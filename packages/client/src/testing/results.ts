/** Results of reservations and waits, as the service returns them. */
import type { ActiveReservation, Reason, ReserveItem, ReserveResult, WaitingRequest } from '../types.ts';
import { titleOf } from './definitions.ts';
import { acquiredSlotsOf, isoOf, type Row, type Ticket } from './store.ts';

export function resultOf(
  item: ReserveItem,
  requester: string,
  row: Row | undefined,
  status: ReserveResult['status'],
  explanation: string = status,
): ReserveResult {
  const { waitedMs } = row ?? {};
  return {
    resource: row?.resource ?? titleOf(item),
    requester,
    status,
    explanation,
    releaseToken: row?.releaseToken ?? null,
    expiresAt: isoOf(row?.expiresAt ?? null),
    acquiredSlots: row === undefined ? null : acquiredSlotsOf(row),
    acquiredBlockers: null,
    reservedAtPath: null,
    fencingToken: row?.fencingToken ?? null,
    ...commonFields(row),
    ...row?.choice.attributesOf(row.slots),
    ...(waitedMs !== undefined && status === 'ACQUIRED' && { waitedMs }),
  };
}

const commonFields = (row: Row | undefined) => ({
  ...(row !== undefined && row.slots.length > 1 && { slots: [...row.slots] }),
  ...(row?.item.mode === 'SHARED' && { mode: row.item.mode }),
});

export function activeOf(row: Row): ActiveReservation {
  const { note, session } = row.item;
  return {
    resource: row.resource,
    requester: row.requester,
    resourceType: row.item.resourceType ?? 'UserDefined',
    reservedAt: isoOf(row.reservedAt),
    expiresAt: isoOf(row.expiresAt),
    claimBy: null,
    acquiredSlots: acquiredSlotsOf(row),
    acquiredBlockers: null,
    reservedAtPath: null,
    fencingToken: row.fencingToken,
    apiKeyLabel: null,
    ...commonFields(row),
    ...(note !== undefined && { note }),
    ...(session !== undefined && { session }),
  };
}

const MAX_HOLDERS = 5;
const MAX_NEXT = 3;

/**
 * Who is in the way of a resource.
 * @param holders of its slots, in their order
 * @param before the tickets that come before
 */
export function reasonOf(resource: string, holders: readonly Row[], before: readonly Ticket[]): Reason {
  const held = holders.flatMap((row) => row.slots.map((slot) => ({ row, slot })));
  return {
    kind: held.length > 0 ? 'SLOTS' : 'QUEUE',
    resource,
    holders: held.slice(0, MAX_HOLDERS).map(({ row, slot }) => ({
      requester: row.requester,
      resource: row.resource,
      slot,
      since: isoOf(row.reservedAt),
      until: isoOf(row.expiresAt),
      note: row.item.note ?? null,
    })),
    more: Math.max(0, held.length - MAX_HOLDERS),
    next: before.slice(0, MAX_NEXT).map(({ requester, items, since, until }) => ({
      requester,
      since: isoOf(since),
      until: isoOf(until),
      note: items.find(({ note }) => note !== undefined)?.note ?? null,
    })),
  };
}

export function waitingOf({ requester, items, method, priority, since, until }: Ticket): WaitingRequest {
  const { note } = items.find((item) => item.note !== undefined) ?? {};
  const resources = items.map(titleOf);
  const isSession = items.some(({ session }) => session !== undefined);
  return {
    requester,
    resources,
    counts: items.map(({ count = 1 }) => count),
    ttlSeconds: isSession ? null : Math.max(...items.map(({ ttlSeconds = 0 }) => ttlSeconds)),
    method,
    priority,
    since: isoOf(since),
    until: isoOf(until),
    waitsFor: resources[0] ?? '',
    attended: true,
    apiKeyLabel: null,
    ...(note !== undefined && { note }),
  };
}
