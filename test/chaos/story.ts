/**
 * Makes small histories for the tests of checks: callers call a service that does all it promises, one call every
 * 10 ms. Tests then spoil what was recorded.
 */
import type { Event } from '../../src/contract/events.ts';
import type { HistoryEntry } from '../../src/contract/history.ts';
import type {
  ReserveItem,
  ReserveResult,
  TransactionItem,
  TransactionItemResult,
} from '../../src/contract/reservations.ts';
import type { Check } from './check.ts';
import type { Call, CallOf, EndState, FaultSeen, History, StreamSeen, Verb } from './history.ts';

export const START = Date.parse('2026-01-31T12:00:00Z');
const TENANT = 'main';
const isoOf = (at: number) => new Date(at).toISOString();

type Recorded = { -readonly [Field in keyof StreamSeen['events'][number]]: StreamSeen['events'][number][Field] };
type Asked = Omit<ReserveItem, 'requester' | 'resource'>;

export interface Story {
  readonly calls: Call[];
  readonly events: Recorded[];
  readonly past: HistoryEntry[];
  readonly faults: FaultSeen[];
  /** Lets time pass. */
  pass(ms: number): void;
  acquire(requester: string, resource: string, asked?: Asked): ReserveResult;
  /** A reserve call that is refused since somebody else holds it. */
  refuse(requester: string, resource: string, heldBy: string): void;
  /** A call that waits, and is answered WAITING after a second. */
  wait(requester: string, resource: string, asked?: Asked): void;
  release(held: ReserveResult): void;
  renew(held: ReserveResult, ttlSeconds: number): void;
  /** A lease ends: nobody calls. */
  expire(held: ReserveResult): void;
  /** An ALL_OR_NONE that gives back one and takes another. */
  handOver(held: ReserveResult, resource: string): void;
  /** The same, rolled back since somebody else has the other. */
  failToHandOver(held: ReserveResult, resource: string, heldBy: string): void;
  /** A call without a response. */
  lose<V extends Verb>(verb: V, request: CallOf<V>['request']): void;
  history(): History;
}

export function createStory(): Story {
  const calls: Call[] = [];
  const events: Recorded[] = [];
  const past: HistoryEntry[] = [];
  const faults: FaultSeen[] = [];
  const held = new Map<string, { readonly result: ReserveResult; readonly at: number }>();
  let at = START;

  const push = (call: Call): void => void calls.push(call);
  const frame = (requester: string, tookMs = 5) => {
    at += 10;
    const [invokedAt, completedAt] = [at, at + tookMs];
    at = completedAt;
    const caller = requester.split('-')[0] ?? requester;
    return { id: calls.length, caller, tenant: TENANT, at: 'api0', invokedAt, completedAt, status: 200, failure: null };
  };
  const tell = (fields: Partial<Event> & Pick<Event, 'type'>, happenedAt = at - 2) =>
    void events.push({ receivedAt: happenedAt + 1, event: { ...EVENT, timestamp: isoOf(happenedAt), ...fields } });

  const granted = (requester: string, resource: string, { ttlSeconds, mode }: Asked): ReserveResult => {
    const expiresAt = ttlSeconds === undefined ? null : isoOf(at + ttlSeconds * 1000);
    const fencingToken = at * 1000;
    const token = `00000000-0000-7000-8000-${String(fencingToken).padStart(12, '0').slice(-12)}`;
    const result: ReserveResult = {
      ...REFUSED,
      ...{
        resource,
        requester,
        status: 'ACQUIRED',
        explanation: 'ACQUIRED',
        releaseToken: token,
        expiresAt,
        fencingToken,
      },
      ...(mode && { mode }),
    };
    held.set(token, { result, at });
    return result;
  };
  const ended = ({ releaseToken, ...result }: ReserveResult, ending: HistoryEntry['ending']) => {
    const reservedAt = held.get(releaseToken ?? '')?.at ?? START;
    held.delete(releaseToken ?? '');
    past.push({
      ...{ id: `R${result.fencingToken}`, kind: 'RESERVATION', resource: result.resource, requestedName: null },
      ...{ slots: [result.resource], requester: result.requester, resourceType: 'UserDefined' },
      ...{ mode: result.mode ?? 'EXCLUSIVE', apiKeyLabel: null, note: null, fencingToken: result.fencingToken },
      ...{ waitedMs: null, reservedAt: isoOf(reservedAt), endedAt: isoOf(at - 2), ending, actor: null, booking: null },
    });
  };
  const refusedBy = (requester: string, resource: string, by: string): ReserveResult => {
    const heldBy = { resource, requester: by, since: isoOf(at), expiresAt: null, note: null };
    return { ...REFUSED, resource, requester, status: 'ALREADY_HELD', explanation: 'ALREADY_HELD', heldBy };
  };
  const transact = (given: ReserveResult, resource: string) => {
    const { requester, releaseToken } = given;
    const requests: TransactionItem[] = [
      { requestType: 'UNRESERVE', resource: given.resource, requester, releaseToken: releaseToken ?? '' },
      { requestType: 'RESERVE', resource, requester },
    ];
    return { method: 'ALL_OR_NONE' as const, requests };
  };

  return {
    calls,
    events,
    past,
    faults,
    pass: (ms) => {
      at += ms;
    },
    acquire(requester, resource, asked = {}) {
      const before = frame(requester);
      const result = granted(requester, resource, asked);
      push({ ...before, verb: 'reserve', request: [{ requester, resource, ...asked }], response: [result] });
      const { expiresAt, fencingToken } = result;
      const lease = { expiresAt, fencingToken, ...(asked.mode === 'SHARED' && { mode: asked.mode }) };
      tell({ type: 'RESERVED', resource, requester, explanation: 'ACQUIRED', ...lease });
      if (asked.waitSeconds) tell({ type: 'WAIT_ENDED', resource, requester, explanation: 'ACQUIRED' });
      return result;
    },
    refuse(requester, resource, heldBy) {
      const before = frame(requester);
      tell({ type: 'RESERVE_FAILED', resource, requester, explanation: 'ALREADY_HELD' });
      const response = [refusedBy(requester, resource, heldBy)];
      push({ ...before, verb: 'reserve', request: [{ requester, resource }], response });
    },
    wait(requester, resource, asked = {}) {
      const begunAt = at;
      const before = frame(requester, 1000);
      const item = { requester, resource, waitSeconds: 60, ...asked };
      const standing = { ahead: 0, waitsFor: resource, since: isoOf(begunAt), until: isoOf(begunAt + 60_000) };
      const waits = { status: 'WAITING', explanation: 'WAITING: you are next', waiting: standing } as const;
      const isKnown = calls.some((call) => call.verb === 'reserve' && call.response?.[0]?.requester === requester);
      if (!isKnown) tell({ type: 'WAITING', resource, requester, explanation: 'WAITING' }, begunAt + 12);
      const response = [{ ...REFUSED, resource, requester, ...waits }];
      push({ ...before, verb: 'reserve', request: [item], response, pollSeconds: 1 });
    },
    release(given) {
      const { resource, requester, releaseToken } = given;
      const before = frame(requester);
      ended(given, 'RELEASED');
      tell({ type: 'UNRESERVED', resource, requester, explanation: 'RELINQUISHED', requestType: 'UNRESERVE' });
      const status = { status: 'RELINQUISHED', explanation: 'RELINQUISHED' } as const;
      const response = [{ resource, requester, ...status, released: [resource] }];
      const request = [{ resource, requester, releaseToken: releaseToken ?? '' }];
      push({ ...before, verb: 'unreserve', request, response });
    },
    renew(given, ttlSeconds) {
      const { resource, requester, releaseToken } = given;
      const before = frame(requester);
      const expiresAt = isoOf(at + ttlSeconds * 1000);
      tell({ type: 'RENEWED', resource, requester, explanation: 'RENEWED', expiresAt, requestType: 'RENEW' });
      const request = [{ resource, requester, releaseToken: releaseToken ?? '', ttlSeconds }];
      const response = [{ resource, requester, status: 'RENEWED', explanation: 'RENEWED', expiresAt } as const];
      push({ ...before, verb: 'renew', request, response });
    },
    expire(given) {
      const { resource, requester, expiresAt } = given;
      at = Math.max(at, Date.parse(expiresAt ?? '') + 2);
      ended(given, 'EXPIRED');
      tell({ type: 'RESERVATION_EXPIRED', resource, requester, explanation: 'EXPIRED', requestType: 'EXPIRE' });
      tell({ type: 'UNRESERVED', resource, requester, explanation: 'RELINQUISHED', requestType: 'EXPIRE' });
    },
    handOver(given, resource) {
      const before = frame(given.requester);
      const request = transact(given, resource);
      ended(given, 'RELEASED');
      const result = granted(given.requester, resource, {});
      const gone = { resource: given.resource, requester: given.requester, released: [given.resource] };
      const results: TransactionItemResult[] = [
        { ...gone, status: 'RELINQUISHED', explanation: 'RELINQUISHED' },
        result,
      ];
      const { requester, fencingToken, expiresAt } = result;
      const changes = [
        { resource: given.resource, requester, requestType: 'UNRESERVE' as const, explanation: 'RELINQUISHED' },
        { resource, requester, requestType: 'RESERVE' as const, explanation: 'ACQUIRED', fencingToken, expiresAt },
      ];
      const { method } = request;
      tell({ type: 'TRANSACTION_APPLIED', requestType: 'TRANSACTION', explanation: 'APPLIED', method, changes });
      push({ ...before, verb: 'transaction', request, response: { method, status: 'APPLIED', results } });
    },
    failToHandOver(given, resource, heldBy) {
      const before = frame(given.requester);
      const request = transact(given, resource);
      const { requester } = given;
      const undone = { status: 'NOT_AVAILABLE', explanation: 'ROLLED_BACK', released: null } as const;
      const results: TransactionItemResult[] = [
        { resource: given.resource, requester, ...undone },
        refusedBy(requester, resource, heldBy),
      ];
      const { method } = request;
      const changes = results.map((one, i) => ({
        ...{ resource: one.resource, requester, explanation: one.status },
        requestType: i === 0 ? ('UNRESERVE' as const) : ('RESERVE' as const),
      }));
      tell({
        type: 'TRANSACTION_ROLLED_BACK',
        requestType: 'TRANSACTION',
        explanation: 'ROLLED_BACK',
        method,
        changes,
      });
      push({ ...before, verb: 'transaction', request, response: { method, status: 'ROLLED_BACK', results } });
    },
    lose(verb, request) {
      const before = frame('lost');
      // The fields of a call fit together by its verb, which the compiler cannot see here.
      const call = {
        ...before,
        verb,
        request,
        status: null,
        response: null,
        failure: 'the connection was lost',
      } as Call;
      push(call);
    },
    history() {
      const end: EndState = {
        ...{ tenant: TENANT, readAt: at + 10, waiting: [], past, definitions: [], inconsistencies: [] },
        active: [...held.values()].map(({ result, at: since }) => ({
          ...{ ...result, resourceType: 'UserDefined', reservedAt: isoOf(since), claimBy: null, apiKeyLabel: null },
          fencingToken: result.fencingToken ?? 0,
        })),
      };
      const stream: StreamSeen = { tenant: TENANT, at: 'api0', openedAt: START, endedAt: Infinity, events };
      const streams = [stream, { ...stream, at: 'api1', events: [...events] }];
      const times = { startedAt: START, endedAt: at + 20 };
      return { seed: 'story', setup: 'story', ...times, calls, streams, faults, end: [end], lags: [] };
    },
  };
}

const REFUSED = {
  ...{ releaseToken: null, expiresAt: null, acquiredSlots: null, acquiredBlockers: null, reservedAtPath: null },
  fencingToken: null,
};

const EVENT: Omit<Event, 'type' | 'timestamp'> = {
  ...{ tenantId: TENANT, resource: null, requester: null, explanation: null, resourceType: null, apiKeyLabel: null },
  ...{ actor: null, requestType: null, expiresAt: null, acquiredSlots: null, fencingToken: null },
  ...{ method: null, changes: null, limitType: null, limit: null },
};

/** A little of everything, without a fault. */
export function clean(): Story {
  const story = createStory();
  const ann = story.acquire('ann-1', 'n0');
  story.refuse('bob-1', 'n0', 'ann-1');
  story.release(ann);
  const bob = story.acquire('bob-2', 'n0', { ttlSeconds: 1 });
  story.wait('eve-1', 'n0', { ttlSeconds: 5 });
  story.expire(bob);
  const eve = story.acquire('eve-1', 'n0', { ttlSeconds: 5, waitSeconds: 60 });
  story.release(eve);
  const ann3 = story.acquire('ann-3', 'n1');
  story.handOver(ann3, 'n2');
  const bob3 = story.acquire('bob-3', 'n3');
  story.failToHandOver(bob3, 'n2', 'ann-3');
  story.release(bob3);
  story.acquire('ann-4', 'n1', { mode: 'SHARED' });
  story.acquire('bob-4', 'n1', { mode: 'SHARED' });
  return story;
}

/** Returns what a check finds wrong in a history. */
export const whats = (check: Check, history: History) => check.run(history).violations.map(({ what }) => what);
