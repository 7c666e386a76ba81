/**
 * Conditions of slots (docs/specification.md#condition). src/contract/conditions.ts has the requests and results.
 */
export const CONDITIONS = ['ready', 'dirty', 'out'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** The conditions that a reserve item can ask for. Without one, it asks for a slot that is ready. */
export const ASKED_CONDITIONS = ['dirty', 'out'] as const;
export type AskedCondition = (typeof ASKED_CONDITIONS)[number];

/** The conditions that slots have after use. */
export const AFTER_USE = ['ready', 'dirty'] as const;
export type AfterUse = (typeof AFTER_USE)[number];

export const CONDITION_STATUSES = ['CHANGED', 'UNCHANGED', 'NOT_VALID'] as const;

/** Slots that one request can set. */
export const MAX_SLOTS_SET = 500;

/** A slot that is out of service. */
export interface OutOfService {
  /** The name of the slot; of a resource with one slot, its name. */
  readonly slot: string;
  /** ms since 1970 UTC */
  readonly sinceMs: number;
  /** The actor who took it out of service, as in events; null: the service */
  readonly actor: string | null;
  readonly reason: string | null;
}
