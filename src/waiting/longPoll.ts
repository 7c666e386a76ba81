/**
 * One call whose response is held, and its request that waits: how its script is called, and its result so far.
 */

import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Caller } from '../domain/waiting.ts';
import type { WaitCall } from '../engine/waiting/call.ts';
import type { Ending } from './news.ts';

/** A ticket of a request, with what it is ordered by. */
export interface QueuedTicket {
  readonly ticket: string;
  readonly priority: number;
}

/** The cost of a request. */
export type Cost = Pick<Charged<unknown>, 'quota' | 'reads' | 'isReplayed'>;

/** The cost of a request after a script call. Only the first one of a request is charged. */
export const costAfter = ({ reads }: Cost, call: Cost): Cost => {
  const first = reads ?? call.reads;
  const { quota, isReplayed } = call;
  return { quota, ...(first === undefined ? {} : { reads: first }), ...(isReplayed && { isReplayed }) };
};

export interface Pending<Result> {
  readonly credential: Credential;
  /** True if something was newly acquired, or nothing waits any more: the response is due. */
  readonly isDone: boolean;
  /** The resource that may be handed over to it, since it asks for nothing else; undefined: none. */
  readonly heir?: { readonly resource: string; readonly token: string } | undefined;
  /** The tickets that it waits on. */
  readonly queued: readonly QueuedTicket[];
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
   * Takes over where its tickets stand now, if it still waits, and who is in the way: the scripts of long polls do not
   * say that. Never fails: the result is then as of the last script.
   */
  look(): Promise<void> | undefined;
  /**
   * Has the result kept under the request's Idempotency-Key, if nothing waits any more and no script of its own has
   * kept it. Never fails: a repeat would then be a new request.
   */
  keep(): Promise<void> | undefined;
}

const nothing = () => {};
const NONE: ReadonlySet<string> = new Set();

/** A long poll: a call whose response is held while its request waits. */
export class LongPoll {
  readonly request: Pending<unknown>;
  readonly caller: Caller;
  /** When it came, as performance.now() counts. */
  readonly beganAt = performance.now();
  /** When its caller gets a response at the latest. */
  endsAt: number;
  /** True if it makes room for others before its time: Redis does not know when it ends. */
  givesWay = false;
  /** True if it outlasts a call of its ticket that ended early: Redis may take the ticket for held beyond its time. */
  isOutlasting = false;
  /** Settles when the response is due. */
  readonly done: Promise<void>;
  /** Tickets that were granted and are to be claimed. */
  granted = NONE;
  /** True if its script has answered once: the request is charged. */
  hasRun = false;
  /** True if its script is running. */
  isRunning = false;
  /** True if the tenant was reset while its script was running. */
  wasReset = false;
  isOver = false;
  /** Number of beats that had been sent when its script answered last. */
  answeredAtBeat = 0;
  #resolve: () => void = nothing;
  #reject: (error: unknown) => void = nothing;

  /** @param pollMs how long the response may be held */
  constructor(request: Pending<unknown>, caller: Caller, pollMs: number) {
    this.request = request;
    this.caller = caller;
    this.endsAt = this.beganAt + pollMs;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Notes that a ticket was granted. There are thousands of long polls, and few have a grant: those get a set. */
  grant(ticket: string): void {
    this.granted = new Set(this.granted).add(ticket);
  }

  /** Takes the grants that are to be claimed. */
  takeGranted(): ReadonlySet<string> {
    const { granted } = this;
    this.granted = NONE;
    return granted;
  }

  get leftMs(): number {
    return this.endsAt - performance.now();
  }

  /** Lets the response be sent: the result so far, or an error. */
  end(error?: unknown): void {
    this.isOver = true;
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }
}
