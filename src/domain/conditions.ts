/** The conditions of a slot (docs/specification.md#condition). */
export const CONDITIONS = ['ready', 'dirty', 'out'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** What slots are after a reservation that asked for ready ones. */
export const AFTER_USE = ['ready', 'dirty'] as const;
export type AfterUse = (typeof AFTER_USE)[number];
