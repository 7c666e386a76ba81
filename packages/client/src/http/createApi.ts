/** Puts the ways together in which calls travel: alone, held, or in batches of one kind. */
import { refuseUnknown, unexpected } from '../errors.ts';
import type { ReserveResult } from '../types.ts';
import type { Api, Late, Request } from './api.ts';
import { type Call, carryOut } from './calls.ts';
import { createExchange, type Endpoint } from './exchange.ts';
import { hasField } from './failures.ts';
import { CANCEL, CHECK, RENEW, RESERVE, UNRESERVE } from './kinds.ts';
import { Lane } from './lane.ts';

const OPEN_MS = 10_000;
const DEFAULT_POLL_SECONDS = 20;

/** @throws HoldfastError INVALID_OPTION */
export function createApi(endpoint: Endpoint): Api {
  const exchange = createExchange(endpoint);
  const traffic = { calls: 0 };
  const unreserves = new Lane(exchange, UNRESERVE, traffic);
  const renews = new Lane(exchange, RENEW, traffic);
  const checks = new Lane(exchange, CHECK, traffic);
  const cancels = new Lane(exchange, CANCEL, traffic);
  /** Releases what a call got that was given up. If that fails, the lease ends it. */
  const late = ({ status, resource, requester, releaseToken }: ReserveResult): void => {
    if (status === 'ACQUIRED' && releaseToken !== null)
      unreserves.call({ resource, requester, releaseToken }).catch(() => {});
  };
  const reserves = new Lane(exchange, { ...RESERVE, late }, traffic);

  return {
    retries: exchange.retries,
    reserve(item, options = {}) {
      const { pollSeconds = DEFAULT_POLL_SECONDS, ...rest } = options;
      if (!item.waitSeconds || pollSeconds === 0) return reserves.call(item, options);
      return carryOut(exchange, {
        outgoing: {
          method: 'POST',
          path: `/Reservation/reserve?pollSeconds=${pollSeconds}`,
          body: JSON.stringify([item]),
        },
        heldMs: pollSeconds * 1000,
        late: ({ result }) => late(result),
        read: onlyResult,
        ...rest,
      });
    },
    unreserve: (item, options) => unreserves.call(item, options),
    renew: (item, options) => renews.call(item, options),
    check: (item, options) => checks.call(item, options),
    cancel: (item, options) => cancels.call(item, options),
    request<Result>(request: Request, late?: Late<Result>) {
      const { method, path, query = {}, body, idempotencyKey, has, signal, deadline, onFailure, ...rest } = request;
      // The options of users are passed on as they are.
      refuseUnknown(rest);
      const parameters = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
      const call: Call<Result> = {
        signal,
        deadline,
        onFailure,
        late,
        outgoing: {
          method,
          path: path + search,
          body: body === undefined ? undefined : JSON.stringify(body),
          idempotencyKey,
          isLong: method === 'GET',
        },
        heldMs: Number(query.pollSeconds ?? 0) * 1000,
        read(answered) {
          if (has === undefined ? !Array.isArray(answered) : !hasField(answered, has)) throw unexpected();
          // As the OpenAPI description says, from which the types are made.
          return answered as Result;
        },
      };
      return carryOut(exchange, call);
    },
    open: (path, { signal } = {}) => exchange.open(path, OPEN_MS, signal),
  };
}

function onlyResult(body: unknown): ReserveResult {
  const [result] = Array.isArray(body) ? body : [];
  if (!hasField(result, 'status')) throw unexpected();
  return result;
}
