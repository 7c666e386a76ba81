/** One request that takes what a plan wants: a reserve item, or a transaction if it wants several resources. */
import type { Answer, Api, CallOptions } from '../http/api.ts';
import type { ReserveResult, TransactionBody, TransactionResult, Waiting } from '../types.ts';
import type { Plan } from './plan.ts';

export interface Outcome {
  readonly state: 'GOT' | 'WAITING' | 'REFUSED';
  /** The reservations, if it got them. */
  readonly results: readonly ReserveResult[];
  /** The result that decides: the first that was refused or waits. */
  readonly decisive: ReserveResult | undefined;
  readonly waiting: Waiting | undefined;
}

export interface AskOptions extends CallOptions {
  /** Longest time for which the service may hold the response, if it waits. */
  readonly pollSeconds: number;
}

/** A request that can be sent again while it waits. */
export interface Attempt<O extends Outcome = Outcome> {
  /** The names of its resources, for messages. */
  readonly title: string;
  ask(options: AskOptions): Promise<Answer<O>>;
  /** Ends its ticket, and a grant that nobody has claimed. */
  cancel(options: CallOptions): Promise<unknown>;
}

export function attemptOf(api: Api, plan: Plan, requester: string): Attempt {
  const { title, keys, items, waitMs, priority = 0 } = plan;
  // The service counts from the first request, so each repeat says the same.
  const waits = waitMs === undefined ? {} : { waitSeconds: Math.ceil(waitMs / 1000), priority };
  const [only, ...others] = items;
  const cancel = (options: CallOptions) => api.cancel({ resource: keys[0], requester }, options);
  if (others.length > 0) {
    const requests = items.map((item) => ({ requestType: 'RESERVE' as const, requester, ...item }));
    return { title, cancel, ask: askTransaction(api, { method: 'ALL_OR_NONE', requests, ...waits }) };
  }
  const item = { requester, ...only, ...waits };
  let isQueued = false;
  return {
    title,
    cancel,
    ask: async (options) => {
      // The first call is not held: calls for one name join the queue in the order in which they were made.
      const { result, sentAt, repeated } = await api.reserve(item, isQueued ? options : { ...options, pollSeconds: 0 });
      isQueued = true;
      return { sentAt, repeated, result: outcomeOf([result], isGot(result) ? 'GOT' : stateOf(result)) };
    },
  };
}

/** An outcome with the response of the service. */
export interface TransactionOutcome extends Outcome {
  readonly response: TransactionResult;
}

/** @param idempotencyKey makes a repeat safe. It needs the same `pollSeconds` each time. */
export function askTransaction(api: Api, body: TransactionBody, idempotencyKey?: string) {
  return async ({ pollSeconds, ...options }: AskOptions): Promise<Answer<TransactionOutcome>> => {
    const { result: response, ...rest } = await api.request<TransactionResult>({
      ...options,
      method: 'POST',
      path: '/Reservation/transaction',
      query: { pollSeconds: body.waitSeconds === undefined ? undefined : String(pollSeconds) },
      body,
      has: 'results',
      idempotencyKey,
    });
    const results = response.results.filter((result) => 'releaseToken' in result);
    const state = ({ APPLIED: 'GOT', WAITING: 'WAITING', ROLLED_BACK: 'REFUSED' } as const)[response.status];
    return { ...rest, result: { ...outcomeOf(results, state), response } };
  };
}

export const isGot = ({ status }: Pick<ReserveResult, 'status'>): boolean =>
  status === 'ACQUIRED' || status === 'ALREADY_HAD';

const stateOf = ({ status }: ReserveResult) => (status === 'WAITING' ? 'WAITING' : 'REFUSED');

function outcomeOf(results: readonly ReserveResult[], state: Outcome['state']): Outcome {
  const failed = results.filter((result) => !isGot(result));
  const decisive = failed.find(({ explanation }) => explanation !== 'ROLLED_BACK') ?? failed[0];
  const waiting = results.find((result) => result.waiting !== undefined)?.waiting;
  return { state, results, decisive, waiting };
}
