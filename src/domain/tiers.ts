/**
 * The tiers a tenant can be in (interface, "Limits"), lowest first.
 */
export const TIERS = ['Free', 'Starter', 'Pro', 'Enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** What a tier allows; null: any number. */
export interface TierLimits {
  /** Streams of events opened with an API key at the same time. */
  readonly eventConnections: number | null;
}

export const TIER_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  Free: { eventConnections: 1 },
  Starter: { eventConnections: 5 },
  Pro: { eventConnections: 20 },
  Enterprise: { eventConnections: null },
};
