/**
 * How waits end, as the calls of this instance see it. For metrics (docs/specification.md#waiting).
 */
import { WAIT_ENDS } from '../domain/waiting.ts';

export const WAIT_OUTCOMES = [...WAIT_ENDS, 'RESET'] as const;
export type WaitOutcome = (typeof WAIT_OUTCOMES)[number];

/**
 * Called when a call sees the end of a wait.
 * @param waitedMs time until the grant, in ms; undefined: it was not granted
 */
export type OnWaitEnded = (outcome: WaitOutcome, waitedMs: number | undefined) => void;

/** What the caller is told about an item or a ticket that no longer waits. */
interface Told {
  readonly status: string;
  readonly explanation: string;
}

/** A refusal without a reason of its own means that the time of the wait is over. */
export function outcomeOf({ status, explanation }: Told): WaitOutcome {
  if (explanation === 'NOT_AVAILABLE: cancelled') return 'CANCELLED';
  if (explanation === 'NOT_AVAILABLE: reset') return 'RESET';
  return WAIT_OUTCOMES.find((outcome) => outcome === status) ?? 'ELAPSED';
}
