/** What the service says of reservations and waits. */
import type { ActiveReservation, ReserveItem, ReserveResult, WaitingRequest } from '../types.ts';
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
    ...sharedFields(row),
    ...(waitedMs !== undefined && status === 'ACQUIRED' && { waitedMs }),
  };
}

const sharedFields = (row: Row | undefined) => ({
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
    ...sharedFields(row),
    ...(note !== undefined && { note }),
    ...(session !== undefined && { session }),
  };
}

export function waitingOf({ requester, items, method, priority, since, until }: Ticket): WaitingRequest {
  const { note } = items.find((item) => item.note !== undefined) ?? {};
  const resources = items.map(titleOf);
  return {
    requester,
    resources,
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
