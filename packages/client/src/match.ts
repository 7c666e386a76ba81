/** Matches: labels that a resource has to have (docs/specification.md#any-resource-that-fits). */
import type { Match } from './types.ts';

/** The sign of a match before the values of a label, and these. */
export const valuesOf = (values: Match[string]): ['=' | '!=', readonly string[]] =>
  typeof values === 'object' && 'not' in values ? ['!=', [values.not].flat()] : ['=', [values].flat()];

/** Returns true if labels fit a match: each label has one of its values, or with `!=` none of them. */
export const fits = (labels: Readonly<Record<string, string>>, match: Match): boolean =>
  Object.entries(match).every(([key, values]) => {
    const [sign, list] = valuesOf(values);
    return list.some((value) => value === labels[key]) === (sign === '=');
  });
