/**
 * A card that shows how much of its limits a tenant uses.
 */
import { LIMITED_BY, type LimitType } from '../../domain/errors.ts';
import type { Tier } from '../../domain/tiers.ts';
import type { Usage } from '../../engine/tenant/usage.ts';
import type { DashboardDeps } from '../env.ts';
import { number } from '../words/numbers.ts';
import { Share } from './holderTable.tsx';

const LABELS: Readonly<Partial<Record<LimitType, string>>> = {
  OperationsPerMinute: 'Writes this minute',
  OperationsPerDay: 'Writes today (UTC)',
  ConcurrentReservations: 'Reservations held',
  Bookings: 'Bookings',
  ResourceDefinitions: 'Registered resources',
  StoredBytes: 'Bytes kept',
  EventConnections: 'Event streams',
  ApiKeys: 'API keys',
};

export interface LimitsProps {
  readonly usage: Usage;
  readonly keys: number;
  readonly tiers: DashboardDeps['engine']['tiers'];
  readonly tenant: string;
}

/** The limits of a tenant, and how much of each it uses. */
export const LimitsCard = ({ usage, keys, tiers, tenant }: LimitsProps) => {
  const used: Readonly<Partial<Record<LimitType, number>>> = {
    OperationsPerMinute: usage.writesThisMinute,
    OperationsPerDay: usage.writesToday,
    ConcurrentReservations: usage.reservations,
    Bookings: usage.bookings,
    ResourceDefinitions: usage.definitions,
    StoredBytes: usage.bytes,
    EventConnections: usage.eventConnections,
    ApiKeys: keys,
  };
  return (
    <section class="card" aria-labelledby="tier-title" data-live="tier">
      <header>
        <h2 id="tier-title">Limits</h2>
        <span class="end meta">
          Tenant {tenant}, tier {usage.tier}
        </span>
      </header>
      <div class="pad">
        {(Object.keys(LABELS) as LimitType[]).map((type) => (
          <UsageBar
            id={`use-${type}`}
            label={LABELS[type] ?? type}
            used={used[type] ?? 0}
            limit={limitOf(tiers, usage.tier, type)}
          />
        ))}
      </div>
    </section>
  );
};

const limitOf = (tiers: LimitsProps['tiers'], tier: Tier, type: LimitType) => tiers[tier][LIMITED_BY[type]];

/**
 * Usage of a limit, as a bar and in words.
 */
interface UsageBarProps {
  readonly id: string;
  readonly label: string;
  readonly used: number;
  /** null: no limit */
  readonly limit: number | null;
}

const UsageBar = ({ id, label, used, limit }: UsageBarProps) => (
  <div class="usage">
    <span id={id}>{label}</span>
    <span class="amount">{limit === null ? `${number(used)}, no limit` : `${number(used)} of ${number(limit)}`}</span>
    {limit !== null && <Share share={used / Math.max(1, limit)} isMuch={used >= limit * 0.8} />}
  </div>
);
