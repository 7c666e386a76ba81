/**
 * The tiers of tenants, lowest first, and the limits of each (docs/specification.md#limits).
 */
export const TIERS = ['Free', 'Starter', 'Pro', 'Enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** null: unlimited */
export interface TierLimits {
  readonly writesPerMinute: number | null;
  readonly readsPerMinute: number | null;
  readonly writesPerDay: number | null;
  /** Concurrent reservations. */
  readonly reservations: number | null;
  /** Bookings that have not ended. */
  readonly bookings: number | null;
  /** Concurrent event streams that were opened with an API key. */
  readonly eventConnections: number | null;
  readonly apiKeys: number | null;
  /** Subscriptions to events. */
  readonly notices: number | null;
  /** Registered resources. */
  readonly definitions: number | null;
  /** Bytes that a tenant keeps in Redis. */
  readonly bytes: number | null;
  /** Time for which entries of the audit trail are kept, in days. */
  readonly auditDays: number | null;
  /** Time for which the history of reservations is kept, in days; 0: none is written. */
  readonly historyDays: number | null;
  /** Maximum number of its entries that are kept. */
  readonly historyEntries: number | null;
}

export type TierTable = Readonly<Record<Tier, TierLimits>>;

const MIB = 1024 * 1024;

export const DEFAULT_TIERS: TierTable = {
  Free: {
    writesPerMinute: 300,
    readsPerMinute: 1500,
    writesPerDay: 10_000,
    reservations: 500,
    bookings: 50,
    eventConnections: 1,
    apiKeys: 1,
    notices: 1,
    definitions: 500,
    bytes: 8 * MIB,
    auditDays: 30,
    historyDays: 7,
    historyEntries: 10_000,
  },
  Starter: {
    writesPerMinute: 1000,
    readsPerMinute: 5000,
    writesPerDay: null,
    reservations: 10_000,
    bookings: 1000,
    eventConnections: 5,
    apiKeys: 10,
    notices: 5,
    definitions: 5000,
    bytes: 64 * MIB,
    auditDays: 90,
    historyDays: 30,
    historyEntries: null,
  },
  Pro: {
    writesPerMinute: 5000,
    readsPerMinute: 25_000,
    writesPerDay: null,
    reservations: 100_000,
    bookings: 10_000,
    eventConnections: 20,
    apiKeys: 100,
    notices: 20,
    definitions: 20_000,
    bytes: 512 * MIB,
    auditDays: 365,
    historyDays: 90,
    historyEntries: null,
  },
  Enterprise: {
    writesPerMinute: 50_000,
    readsPerMinute: 250_000,
    writesPerDay: null,
    reservations: 1_000_000,
    bookings: 100_000,
    eventConnections: 1000,
    apiKeys: null,
    notices: 20,
    definitions: 100_000,
    bytes: 4096 * MIB,
    auditDays: null,
    historyDays: 365,
    historyEntries: null,
  },
};

/** The limits of a tier without limits. */
export const UNLIMITED: TierLimits = {
  writesPerMinute: null,
  readsPerMinute: null,
  writesPerDay: null,
  reservations: null,
  bookings: null,
  eventConnections: null,
  apiKeys: null,
  notices: null,
  definitions: null,
  bytes: null,
  auditDays: null,
  historyDays: null,
  historyEntries: null,
};

/** Tells whether the next tier raises a limit. */
export function isRaisedByUpgrade(table: TierTable, tier: Tier, limit: keyof TierLimits): boolean {
  const above = TIERS[TIERS.indexOf(tier) + 1];
  const [now, then] = [table[tier][limit], above && table[above][limit]];
  return then !== undefined && now !== null && (then === null || then > now);
}
