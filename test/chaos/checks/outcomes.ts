/**
 * Reads calls item by item: what was asked, what was answered, and whether it may have taken effect
 * (docs/specification.md#errors).
 */
import type { RenewItem, RenewResult } from '../../../src/contract/renewals.ts';
import type { ReserveItem, ReserveResult, UnreserveItem } from '../../../src/contract/reservations.ts';
import type { Call } from '../history.ts';

/**
 * The outcome of a call: `done` with status 200; `refused`: it had no effect; `unknown`: it may take effect at
 * any time after its invocation, or never.
 */
export type Outcome = 'done' | 'refused' | 'unknown';

/** Statuses of calls that had no effect, whatever they asked for. */
const REFUSED = new Set([400, 404, 413, 415, 429]);
/** A connection that nobody took, and an instance that had too much to do (docs/operations/overload.md). */
const NOT_BEGUN = /ECONNREFUSED|"code":"OVERLOADED"/;

export function outcomeOf(call: Call): Outcome {
  if (call.status === 200) return 'done';
  if (call.failure !== null && NOT_BEGUN.test(call.failure)) return 'refused';
  if (call.status === null || call.status === 409 || call.status >= 500) return 'unknown';
  if (REFUSED.has(call.status)) return 'refused';
  // A 401 or 403 may end a call that waits, whose ticket stays, and one that has released other items of its batch.
  if (call.status === 401 && !waits(call)) return 'refused';
  const isBatch = call.verb === 'unreserve' || call.verb === 'renew';
  return call.status === 403 && !isBatch && !waits(call) ? 'refused' : 'unknown';
}

/** Returns true if an item of a call may wait for its turn. */
export function waits(call: Call): boolean {
  if (call.verb === 'reserve') return call.request.some(({ waitSeconds = 0 }) => waitSeconds > 0);
  return call.verb === 'transaction' && (call.request.waitSeconds ?? 0) > 0;
}

/** A reserve item, alone or of a transaction. */
export interface Asked {
  readonly call: Call;
  readonly item: Pick<ReserveItem, 'resource' | 'match' | 'requester' | 'ttlSeconds' | 'session' | 'count' | 'mode'>;
  /** True if it may wait. */
  readonly waits: boolean;
  /** Only of a call that was carried out. */
  readonly result: ReserveResult | null;
  readonly outcome: Outcome;
}

/** Returns the reserve items of a call. */
export function asksOf(call: Call): readonly Asked[] {
  const outcome = outcomeOf(call);
  if (call.verb === 'reserve')
    return call.request.map((item, index) => ({
      call,
      item,
      waits: (item.waitSeconds ?? 0) > 0,
      result: call.response?.[index] ?? null,
      outcome,
    }));
  if (call.verb !== 'transaction') return [];
  const { requests, session, waitSeconds = 0 } = call.request;
  return requests.flatMap((item, index) => {
    if (item.requestType !== 'RESERVE') return [];
    const result = call.response?.results[index];
    return {
      call,
      item: session === undefined ? item : { ...item, session },
      waits: waitSeconds > 0,
      result: result && 'releaseToken' in result ? result : null,
      outcome,
    };
  });
}

/** A release, alone or of a transaction. */
export interface Released {
  readonly call: Call;
  readonly item: Pick<UnreserveItem, 'resource' | 'requester' | 'releaseToken'>;
  /** The status of its result, such as RELINQUISHED. Null: the call has none. */
  readonly status: string | null;
  /** `refused` also if its transaction was rolled back. */
  readonly outcome: Outcome;
}

/** Returns the releases of a call. */
export function releasesOf(call: Call): readonly Released[] {
  const outcome = outcomeOf(call);
  if (call.verb === 'unreserve')
    return call.request.map((item, index) => ({ call, item, status: call.response?.[index]?.status ?? null, outcome }));
  if (call.verb !== 'transaction') return [];
  const isUndone = call.response?.status === 'ROLLED_BACK';
  return call.request.requests.flatMap((item, index) => {
    if (item.requestType !== 'UNRESERVE') return [];
    const status = call.response?.results[index]?.status ?? null;
    return { call, item, status, outcome: isUndone ? 'refused' : outcome };
  });
}

/** A renewal of a lease. */
export interface Renewed {
  readonly call: Call;
  readonly item: RenewItem;
  readonly result: RenewResult | null;
  readonly outcome: Outcome;
}

/** Returns the renewals of a call. */
export function renewalsOf(call: Call): readonly Renewed[] {
  if (call.verb !== 'renew') return [];
  const outcome = outcomeOf(call);
  return call.request.map((item, index) => ({ call, item, result: call.response?.[index] ?? null, outcome }));
}

/** Returns a list's members by a key, in their order. */
export function groupBy<One>(list: readonly One[], keyOf: (one: One) => string): ReadonlyMap<string, readonly One[]> {
  const groups = new Map<string, One[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
