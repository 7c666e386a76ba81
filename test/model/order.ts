/**
 * Finds an order of concurrent operations that explains what their callers saw: one in which each lies between its call
 * and its answer, and in which the model gives the same answers (linearizability, by the search of Wing and Gong).
 */
import { isDeepStrictEqual } from 'node:util';
import type { Model } from './model.ts';

export interface Operation {
  /** Times of one clock. */
  readonly calledAt: number;
  readonly answeredAt: number;
  /** What was asked and answered, for whoever reads a failure. */
  readonly what: unknown;
  readonly answer: unknown;
  /**
   * Carries it out on the model and returns the answer that the caller should have seen; null where it cannot be next.
   */
  apply(model: Model): unknown;
}

/** @returns the operations in such an order; null where there is none */
export function findOrder(start: Model, operations: readonly Operation[]): Operation[] | null {
  const byCall = operations.toSorted((a, b) => a.calledAt - b.calledAt);
  const hopeless = new Set<string>();

  const search = (model: Model, done: ReadonlySet<Operation>): Operation[] | null => {
    const open = byCall.filter((operation) => !done.has(operation));
    if (open.length === 0) return [];
    const firstAnswer = Math.min(...open.map(({ answeredAt }) => answeredAt));
    const state = `${open.map((operation) => byCall.indexOf(operation)).join()} ${JSON.stringify(model.reservations)}`;
    if (hopeless.has(state)) return null;
    for (const operation of open) {
      if (operation.calledAt > firstAnswer) break;
      const next = model.clone();
      if (!isDeepStrictEqual(operation.apply(next), operation.answer)) continue;
      const rest = search(next, new Set([...done, operation]));
      if (rest !== null) return [operation, ...rest];
    }
    hopeless.add(state);
    return null;
  };
  return search(start, new Set());
}
