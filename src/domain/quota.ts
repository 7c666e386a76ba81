/**
 * A caller's remaining quota (docs/specification.md#limits).
 */

/** Length of a window of each kind, in seconds. */
export const WINDOW_S = { OperationsPerMinute: 60, ReadsPerMinute: 60, OperationsPerDay: 86_400 } as const;

/** One window of a quota after a request was charged to it. */
export interface Quota {
  readonly limitType: keyof typeof WINDOW_S;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetS: number;
}

/** A result, and the remaining quota after the request was charged: empty if nothing is limited. */
export interface Charged<Result> {
  readonly result: Result;
  readonly quota: readonly Quota[];
  /** Reads that the request costs beside its writes: it continued a ticket. */
  readonly reads?: number;
  /** ms until something of the tenant is next due, -1: nothing; only if requests of the tenant wait */
  readonly dueInMs?: number;
  /** The work of the script, in units of lua/frame/work.lua, if it says. */
  readonly work?: number;
  /** The request is a repeat: this is the response to the first one, and nothing was done or charged. */
  readonly isReplayed?: true;
}
