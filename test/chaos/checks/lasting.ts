/**
 * When something ends that lasts as long as it is renewed, a lease or a session: by the clock of Redis, by what callers
 * did, by what faults undo.
 */
import type { Call } from '../history.ts';
import type { Outcome } from './outcomes.ts';
import type { Span, Undoing } from './undone.ts';

/** One thing that ends a hold or a session, or may: not before `from`; `by` is Infinity if it may not happen at all. */
export interface End extends Span {
  readonly how: 'released' | 'expired' | 'session' | 'reset' | 'lost';
  readonly call: Call | null;
}

/** A renewal, or the call that began it. */
export interface Beat {
  readonly call: Call;
  readonly outcome: Outcome;
  /** From this call on it lasts so long. */
  readonly ttlMs: number;
}

/** The clocks of the campaign and of Redis tick alike up to this, and Redis counts whole milliseconds. */
export const CLOCK_MS = 5;

/**
 * Returns when it ends by itself.
 * @param first when it ends if nothing renews it; null: never
 */
export function dueOf(
  first: { readonly setAt: number; readonly due: Span } | null,
  beats: readonly Beat[],
  undoing: Undoing,
): Span {
  const never: Span = { from: Infinity, by: Infinity };
  let due = first ? undoing.withSteps(first.setAt, first.due) : never;
  let unsure: Span = { from: Infinity, by: 0 };
  for (const { call, outcome, ttlMs } of beats) {
    // A replayed renewal renews nothing: the call it repeats is in the history too.
    if (outcome === 'refused' || call.isReplayed) continue;
    const { invokedAt: from, completedAt: by } = call;
    const next = undoing.withSteps(from, { from: from + ttlMs - CLOCK_MS, by: by + ttlMs + CLOCK_MS });
    const isUndone = undoing.undoneFrom({ from, by }) < Infinity;
    if (outcome === 'unknown') unsure = { from: Math.min(unsure.from, next.from), by: Infinity };
    else if (isUndone) due = { from: Math.min(due.from, next.from), by: Math.max(due.by, next.by) };
    else due = next;
  }
  return { from: Math.min(due.from, unsure.from), by: Math.max(due.by, unsure.by) };
}

/** Returns when what was known to last at `known` may be lost by a fault; nothing if no fault undoes it. */
export function lossOf(made: Span, undoing: Undoing): readonly End[] {
  const from = undoing.undoneFrom(made);
  return from === Infinity ? [] : [{ how: 'lost', from, by: Infinity, call: null }];
}

/** Returns the end that a call means: in the time of the call if it was carried out and no fault undoes it. */
export function endBy(how: End['how'], call: Call, outcome: Outcome, undoing: Undoing): End {
  const span = { from: call.invokedAt, by: call.completedAt };
  const isCertain = outcome === 'done' && undoing.undoneFrom(span) === Infinity;
  return { how, from: span.from, by: isCertain ? span.by : Infinity, call };
}

/** Returns when the first of some ends may come, and when one has come for certain. */
export const firstOf = (ends: readonly End[]): Span => ({
  from: Math.min(...ends.map(({ from }) => from)),
  by: Math.min(...ends.map(({ by }) => by)),
});
