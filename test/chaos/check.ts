/** A check of a campaign's history. */
import type { Call, History } from './history.ts';

export interface Violation {
  /** The name of the check. */
  readonly check: string;
  /** One sentence: what must not be, with names and times. */
  readonly what: string;
  /** The calls that show it, in the order of their invocation. */
  readonly calls: readonly Call[];
}

export interface Check {
  /** Such as `exclusion`, `fencing`, `leases`. */
  readonly name: string;
  /** The rule that it checks, in one sentence, for the table and the documentation. */
  readonly rule: string;
  /** Returns how many things it has looked at, such as holds or pairs of calls, and what was wrong. */
  run(history: History): Verdict;
}

export interface Verdict {
  readonly looked: number;
  /** Of these, how many could not be decided with the effort that is allowed. */
  readonly undecided?: number;
  readonly violations: readonly Violation[];
}
