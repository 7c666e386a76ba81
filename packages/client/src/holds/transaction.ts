/** Transactions as the service has them, with durations, a requester and an Idempotency-Key. */
import { type Duration, ENDLESS, ttlSecondsOf, waitMsOf } from '../durations.ts';
import { invalid, refuseUnknown } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { Match, TransactionBody, TransactionResult } from '../types.ts';
import { askUntilDecided } from './ask.ts';
import { askTransaction, type TransactionOutcome } from './attempts.ts';
import { checkPriority, itemOf, textOf, WAIT_NEEDS_TTL } from './plan.ts';
import { randomText } from './requesters.ts';
import { keyOf, type ReservationKey } from './reservation.ts';
import type { Waits } from './waits.ts';

/** Takes a resource. */
export interface ReserveRequest {
  readonly requestType: 'RESERVE';
  readonly resource?: string | undefined;
  readonly match?: Match | undefined;
  /** The client's requester, if absent. */
  readonly requester?: string | undefined;
  /** 30 s, if absent. */
  readonly ttl?: Duration | undefined;
  /** Instead of `ttl`. */
  readonly session?: string | undefined;
  readonly count?: number | undefined;
  readonly mode?: 'EXCLUSIVE' | 'SHARED' | undefined;
  readonly note?: string | undefined;
}

/** Releases a reservation. */
export interface UnreserveRequest extends ReservationKey {
  readonly requestType: 'UNRESERVE';
}

/** A transaction (docs/specification.md#transactions). */
export interface TransactionOptions {
  readonly method: 'ALL_OR_NONE' | 'AS_MANY_AS_POSSIBLE' | 'FIRST';
  readonly requests: readonly (ReserveRequest | UnreserveRequest)[];
  readonly wait?: Duration | undefined;
  readonly priority?: number | undefined;
  /** Ends the call: a wait is cancelled. A transaction that is under way may still be carried out. */
  readonly signal?: AbortSignal | undefined;
}

const POLL_SECONDS = 10;

/**
 * @param requester of items that name none
 * @param waits of the client
 */
export async function transact(
  api: Api,
  options: TransactionOptions,
  requester: string,
  waits: Waits,
): Promise<TransactionResult> {
  const { method, requests, wait, priority = 0, signal, ...rest } = options;
  refuseUnknown(rest);
  const waitMs = waitMsOf(wait);
  checkPriority(priority);
  const isEndless = requests.some((one) => 'ttl' in one && one.ttl === ENDLESS && one.session === undefined);
  if (waitMs > 0 && isEndless) throw invalid(WAIT_NEEDS_TTL);
  const body: TransactionBody = {
    method,
    requests: requests.map((request) =>
      request.requestType === 'RESERVE' ? reserveItemOf(request, requester) : request,
    ),
    ...(waitMs === 0 ? {} : { waitSeconds: Math.ceil(waitMs / 1000), priority }),
  };
  const [first] = requests;
  if (first === undefined) throw invalid('at least one request is needed');
  const ask = askTransaction(api, body, randomText(26));
  if (waitMs === 0) return (await ask({ pollSeconds: 0, signal })).result.response;
  const ticket = { resource: nameOf(first), requester: first.requester ?? requester };
  signal?.throwIfAborted();
  const open = waits.begin(ticket.resource, requests.map(nameOf), signal);
  open.requester = ticket.requester;
  const release = ({ results }: TransactionOutcome) =>
    Promise.all(results.filter(({ status }) => status === 'ACQUIRED').map((result) => api.unreserve(keyOf(result))));
  try {
    const { result } = await askUntilDecided({
      attempt: { title: ticket.resource, ask, cancel: (cancelling) => api.cancel(ticket, cancelling) },
      until: performance.now() + waitMs,
      wait: open,
      ttlMs: ENDLESS,
      pollSeconds: POLL_SECONDS,
      signal: open.signal,
      onWaiting: undefined,
      release,
      ended: () => {},
    });
    if (!open.signal.aborted) return result.response;
    await release(result);
    throw open.signal.reason;
  } finally {
    open.end();
  }
}

function reserveItemOf({ ttl, ...request }: ReserveRequest, requester: string) {
  const ttlSeconds = ttlSecondsOf(ttl);
  const isEndless = ttlSeconds === ENDLESS;
  const fields = { ...request, ttlSeconds: isEndless || request.session !== undefined ? undefined : ttlSeconds };
  return { ...itemOf(fields), requestType: 'RESERVE' as const, requester: request.requester ?? requester };
}

const nameOf = (request: ReserveRequest | UnreserveRequest): string =>
  request.resource ?? (request.requestType === 'RESERVE' ? textOf(request.match ?? {}) : '');
