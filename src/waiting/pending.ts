/**
 * A request that waits, of any kind: how its script is called, and its result so far.
 */
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { WaitCall } from '../engine/waiting/call.ts';
import type { Ending } from './wakeUps.ts';

/** A ticket of a request, with what it is ordered by. */
export interface TicketInLine {
  readonly ticket: string;
  readonly priority: number;
}

/** What a request has cost. */
export type Cost = Pick<Charged<unknown>, 'quota' | 'reads' | 'isReplayed'>;

/** The cost of a request after a script call. Only the first one of a request is charged. */
export const costAfter = ({ reads }: Cost, call: Cost): Cost => {
  const first = reads ?? call.reads;
  const { quota, isReplayed } = call;
  return { quota, ...(first === undefined ? {} : { reads: first }), ...(isReplayed && { isReplayed }) };
};

export interface Pending<Result> {
  readonly credential: Credential;
  /** Whether something was newly acquired, or nothing waits any more: the response is due. */
  readonly isDone: boolean;
  /** What may be handed over to it, since it asks for nothing else; undefined: nothing. */
  readonly heir?: { readonly resource: string; readonly token: string } | undefined;
  /** The tickets that it waits on. */
  readonly lines: readonly TicketInLine[];
  /** The result so far, and what it cost. */
  readonly charged: Charged<Result>;
  /**
   * Calls the script, and takes over its results. It issues tickets at first, and later continues or claims them.
   * @param only the tickets whose items are sent; undefined: all items
   * @returns the tickets of the items that were sent and wait
   * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
   */
  run(call: WaitCall, only?: ReadonlySet<string>): Promise<readonly string[]>;
  /**
   * Takes over what was handed to it.
   * @param reply to its item
   */
  take?(reply: string): void;
  /** Takes over that a ticket has ended. */
  end(ticket: string, ending: Ending): void;
  /**
   * Has the result kept under the request's Idempotency-Key, if nothing waits any more and no script of its own has
   * kept it. Never fails: a repeat would then be a new request.
   */
  keep(): Promise<void> | undefined;
}
