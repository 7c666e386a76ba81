/** Transactions as the service has them, with durations, a requester and an Idempotency-Key. */
import { type Duration, msOf, secondsOf } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { Match, TransactionBody, TransactionResult } from '../types.ts';
import { askUntilDecided } from './ask.ts';
import { askTransaction } from './attempts.ts';
import type { ReservationKey } from './hold.ts';
import { textOf } from './plan.ts';
import { randomText } from './requesters.ts';

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

/** @param requester of items that name none */
export async function transact(api: Api, options: TransactionOptions, requester: string): Promise<TransactionResult> {
  const { method, requests, wait, priority = 0, signal } = options;
  const waitMs = wait === undefined ? 0 : msOf(wait, 'wait');
  const body: TransactionBody = {
    method,
    requests: requests.map((request) => (request.requestType === 'RESERVE' ? itemOf(request, requester) : request)),
    ...(waitMs === 0 ? {} : { waitSeconds: Math.ceil(waitMs / 1000), priority }),
  };
  const [first] = requests;
  if (first === undefined) throw new HoldfastError('INVALID_OPTION', 'a transaction has at least one request');
  const ask = askTransaction(api, body, randomText(26));
  if (waitMs === 0) return (await ask({ pollSeconds: 0, signal })).result.response;
  const ticket = { resource: nameOf(first), requester: first.requester ?? requester };
  const { result } = await askUntilDecided({
    attempt: { title: ticket.resource, ask, cancel: (cancelling) => api.cancel(ticket, cancelling) },
    until: performance.now() + waitMs,
    ttlMs: Number.POSITIVE_INFINITY,
    pollSeconds: POLL_SECONDS,
    signal,
    onWaiting: undefined,
    release: ({ results }) =>
      Promise.all(
        results
          .filter(({ status }) => status === 'ACQUIRED')
          .map(({ releaseToken, ...rest }) =>
            api.unreserve({ resource: rest.resource, requester: rest.requester, releaseToken: releaseToken ?? '' }),
          ),
      ),
    ended: () => {},
  });
  return result.response;
}

function itemOf({ ttl, ...request }: ReserveRequest, requester: string) {
  const ttlSeconds = secondsOf(ttl ?? '30s', 'ttl');
  const isEndless = ttlSeconds === Number.POSITIVE_INFINITY;
  const fields = { ...request, ttlSeconds: isEndless || request.session !== undefined ? undefined : ttlSeconds };
  return { ...withoutUndefined(fields), requestType: 'RESERVE' as const, requester: request.requester ?? requester };
}

const nameOf = (request: ReserveRequest | UnreserveRequest): string =>
  request.resource ?? (request.requestType === 'RESERVE' ? textOf(request.match ?? {}) : '');

/** Leaves out fields that are undefined: types with exact optional properties refuse them. */
const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
