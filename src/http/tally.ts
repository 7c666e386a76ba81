/**
 * Counts what the items of a request came to, for people to look at.
 */
import type { Outcome } from '../engine/tenant/activity.ts';

const REFUSED = new Set(['ALREADY_HELD', 'NOT_AVAILABLE', 'NOT_VALID', 'DOESNT_OWN_RESERVATION']);

/** @param results as the request was answered */
export const tally = (results: readonly { readonly status: string }[]): Outcome => ({
  operations: results.length,
  refusals: results.filter(({ status }) => REFUSED.has(status)).length,
});

/** What came to operations that were carried out as a whole. */
export const done = (operations: number): Outcome => ({ operations, refusals: 0 });
