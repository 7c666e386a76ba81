/** The slots that holds take, with their owners (docs/specification.md#plans). */
import { FIXED } from '../things.ts';
import type { Hold } from './holds.ts';

/** One slot that a hold takes for certain between two times. */
export interface Claim {
  readonly hold: Hold;
  readonly slot: string;
  /** Two claims with one owner may share the slot. */
  readonly owner: string;
  readonly isShared: boolean;
  readonly from: number;
  readonly by: number;
}

const BLOCKING = new Set(FIXED.filter(({ blocks }) => blocks).map(({ name }) => name));

/**
 * Returns the slots that a hold takes for certain. Blockers are those of FIXED resources: of others it is not known
 * which resource declares them, so neither is their owner.
 */
export function claimsOf(hold: Hold): readonly Claim[] {
  const { knownAt: from, endsFrom: by, requester } = hold;
  if (by <= from) return [];
  const own = hold.slots.map((slot) => ({ slot, owner: requester, isShared: hold.mode === 'SHARED' }));
  const ancestors = Object.values(hold.ancestors).map((slot) => ({ slot, owner: requester, isShared: false }));
  const blockers = BLOCKING.has(hold.resource) ? hold.blockers : [];
  const along = blockers.map((slot) => ({ slot, owner: `system:${hold.resource}`, isShared: false }));
  return [...own, ...ancestors, ...along].map((claim) => ({ ...claim, hold, from, by }));
}
