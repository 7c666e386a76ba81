/**
 * The tiers a tenant can be in (interface, "Limits"), lowest first.
 */
export const TIERS = ['Free', 'Starter', 'Pro', 'Enterprise'] as const;
export type Tier = (typeof TIERS)[number];
