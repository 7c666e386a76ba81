/**
 * Checks that the calls on each name fit into one order in which each takes effect between its invocation and its
 * completion (docs/specification.md#consistency).
 */
import type { Check, Violation } from '../check.ts';
import type { Call } from '../history.ts';
import { type NameSearch, searchesOf } from './linear/operations.ts';
import { search, type Unexplained } from './linear/search.ts';
import { limited } from './words.ts';

export const linearizability: Check = {
  name: 'linearizability',
  rule: 'The calls on each name fit into one order, in which each takes effect between its invocation and its completion.',
  run(history) {
    let looked = 0;
    let undecided = 0;
    const violations: Violation[] = [];
    for (const one of searchesOf(history)) {
      const found = search(one);
      looked += one.operations.length;
      undecided += found.undecided;
      violations.push(...found.unexplained.map((unexplained) => violationOf(one, unexplained)));
    }
    return { looked, undecided, violations: limited(violations) };
  },
};

/** Calls before the one that no order explains, which say who held it. */
const BEFORE = 12;

function violationOf({ tenant, name, operations }: NameSearch, { operation, pending }: Unexplained<Call>): Violation {
  const before = operations
    .filter(({ by }) => by <= operation.by)
    .sort((a, b) => a.by - b.by)
    .slice(-BEFORE);
  const calls = new Set([operation, ...pending, ...before].map(({ source }) => source));
  const told = operation.steps.map((step) => ('requester' in step ? `${step.does} by ${step.requester}` : step.does));
  return {
    check: linearizability.name,
    what: `${name} of ${tenant}: no order of the calls explains the answer to call ${operation.source.id} (${told.join(', ')})`,
    calls: [...calls].sort((a, b) => a.id - b.id),
  };
}
