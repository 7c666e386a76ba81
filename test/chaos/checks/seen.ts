/**
 * Reads what streams of events tell: which reservations were made, renewed and ended, one change after the other
 * (docs/specification.md#event-types). Checks of events use it.
 */
import type { Event } from '../../../src/contract/events.ts';
import type { Violation } from '../check.ts';
import type { Call, History, StreamSeen } from '../history.ts';
import { FIXED } from '../things.ts';
import type { Hold } from './holds.ts';

export type Received = StreamSeen['events'][number];

/** A change of one reservation that an event tells of. */
export interface Change {
  readonly kind: 'made' | 'renewed' | 'expired' | 'ended';
  readonly resource: string;
  readonly requester: string;
  /** The slots that it has of its own resource. Only of `made`. */
  readonly slots: readonly string[];
  readonly isShared: boolean;
  readonly token: number | null;
}

const KINDS = {
  RESERVED: 'made',
  RENEWED: 'renewed',
  RESERVATION_EXPIRED: 'expired',
  UNRESERVED: 'ended',
} as const;

/** Returns what an event tells of reservations, in its order. Failures, waits and limits change none. */
export function changesOf(event: Event): readonly Change[] {
  if (event.type === 'TRANSACTION_APPLIED')
    return (event.changes ?? []).flatMap((change) => {
      if (change.explanation === 'ACQUIRED') return [changeOf('made', change)];
      return change.explanation === 'RELINQUISHED' ? [changeOf('ended', change)] : [];
    });
  const { type, resource, requester } = event;
  const kind = Object.entries(KINDS).find(([name]) => name === type)?.[1];
  if (kind === undefined || resource === null || requester === null) return [];
  return [changeOf(kind, { ...event, resource, requester })];
}

interface Told {
  readonly acquiredSlots?: Event['acquiredSlots'] | undefined;
  readonly slots?: Event['slots'] | undefined;
  readonly mode?: Event['mode'] | undefined;
  readonly fencingToken?: Event['fencingToken'] | undefined;
  readonly resource: string;
  readonly requester: string;
}

function changeOf(kind: Change['kind'], told: Told): Change {
  const name = lastOf(told.resource);
  return {
    kind,
    resource: told.resource,
    requester: told.requester,
    slots: told.slots ?? [told.acquiredSlots?.[name] ?? name],
    isShared: told.mode === 'SHARED',
    token: told.fencingToken ?? null,
  };
}

/** Returns the resource that a name or a path ends with. */
export const lastOf = (name: string): string => name.slice(name.lastIndexOf('>') + 1);

/** Returns the requesters of the items of a call. */
export function requestersOf(call: Call): readonly string[] {
  if (call.verb === 'transaction') return call.request.requests.map(({ requester }) => requester);
  if (call.verb === 'reserve' || call.verb === 'unreserve' || call.verb === 'renew' || call.verb === 'cancel')
    return call.request.map(({ requester }) => requester);
  return call.verb === 'beginSession' ? [call.request.requester] : [];
}

/** Returns the calls of each requester of a tenant, in the order of their invocation. */
export function callsByRequester(
  history: Pick<History, 'calls'>,
): (tenant: string, requester: string) => readonly Call[] {
  const found = new Map<string, Call[]>();
  for (const call of history.calls)
    for (const requester of new Set(requestersOf(call))) {
      const key = `${call.tenant} ${requester}`;
      const calls = found.get(key);
      if (calls) calls.push(call);
      else found.set(key, [call]);
    }
  return (tenant, requester) => found.get(`${tenant} ${requester}`) ?? [];
}

/**
 * Returns whether a fault may have undone something between two times that was answered before.
 * @returns a function of two times of the campaign in ms
 */
export function lossesOf({ faults }: Pick<History, 'faults'>): (from: number, by: number) => boolean {
  const losing = faults.filter(({ loses }) => loses !== 'nothing');
  return (from, by) =>
    losing.some(({ startedAt, healedAt, loses }) => {
      const recentMs = typeof loses === 'object' ? loses.recentMs : 0;
      return from <= healedAt + SETTLED_MS && by >= startedAt - recentMs;
    });
}

/** So long after a fault answers may still arrive that were written before it was healed. */
const SETTLED_MS = 1_000;

/**
 * When something happened that an event tells of, at the earliest: events may be received late, and clocks be moved.
 */
export const toldAt = ({ receivedAt, event }: Received): number => Math.min(receivedAt, Date.parse(event.timestamp));

/** Returns the requesters that an event names. */
export const requestersIn = ({ requester, changes }: Event): readonly string[] => [
  ...new Set([...(requester === null ? [] : [requester]), ...(changes ?? []).map((change) => change.requester)]),
];

/** Returns the resources that a call names. */
export function namesOf(call: Call): readonly string[] {
  if (call.verb === 'transaction') return call.request.requests.flatMap(({ resource }) => resource ?? []);
  if (call.verb === 'reserve' || call.verb === 'unreserve' || call.verb === 'renew' || call.verb === 'cancel')
    return call.request.flatMap(({ resource }) => resource ?? []);
  return typeof call.request === 'string' ? [call.request] : [];
}

/** Tells names that always mean the same slots from those whose definition callers change. */

/** Returns whether a name, a slot or a path of a tenant has had one meaning for the whole campaign. */
export function steadyNames(history: Pick<History, 'calls'>): (tenant: string, name: string) => boolean {
  const changing = new Set<string>();
  for (const call of history.calls) {
    if (call.verb === 'register')
      for (const { name } of call.request) if (!isFixed(name)) changing.add(`${call.tenant} ${name}`);
    if (call.verb === 'delete') changing.add(`${call.tenant} ${call.request}`);
  }
  return (tenant, name) => {
    const last = lastOf(name);
    return !changing.has(`${tenant} ${last}`) && !changing.has(`${tenant} ${last.replace(/_\d+$/, '')}`);
  };
}

const isFixed = (name: string) => FIXED.some((one) => one.name === name);

/** Texts of violations. */

/** A time of a campaign, such as `12.034 s`. */
export const timeOf = (at: number, startedAt: number): string => `${((at - startedAt) / 1000).toFixed(3)} s`;

/** A hold, such as `c3-17 (leaf0, 1795214655103282)`. */
export const nameOf = ({ requester, resource, fencingToken }: Hold): string =>
  `${requester} (${resource}, ${fencingToken})`;

/** Returns the calls that made, renewed and ended some holds, and others, in the order of their invocation. */
export function callsOf(holds: readonly Hold[], others: readonly Call[] = []): readonly Call[] {
  const calls = holds.flatMap(({ call, renewals, releases, ends }) => [
    call,
    ...renewals.map((one) => one.call),
    ...releases.map((one) => one.call),
    ...ends.flatMap((end) => end.call ?? []),
  ]);
  return [...new Set([...calls, ...others])].sort((a, b) => a.id - b.id);
}

/** One bug may show in every later call: a report needs only the first. */
const MOST = 25;

export const limited = (violations: readonly Violation[]): readonly Violation[] => violations.slice(0, MOST);
