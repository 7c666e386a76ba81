/** Checks that what Redis holds in the end fits together: counts are right, and indexes lead to records. */
import type { Check } from '../check.ts';

export const inconsistencies: Check = {
  name: 'inconsistencies',
  rule: 'What Redis holds in the end fits together: counts, indexes and records.',
  run: ({ end }) => ({
    looked: end.length,
    violations: end.flatMap(({ tenant, inconsistencies: lines }) =>
      lines.map((line) => ({ check: inconsistencies.name, what: `${tenant}: ${line}`, calls: [] })),
    ),
  }),
};
