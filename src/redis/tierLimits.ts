/**
 * The table of tiers as Lua: the loader puts it into lua/lib/limits.lua. So scripts know the limits that the instance
 * was configured with, and a tenant's record need only name its tier.
 */
import { TIERS, type TierLimits, type TierTable } from '../domain/tiers.ts';

/** Lua that sets `limits` by the tenant's tier; NO_LIMIT stands for any number. */
export function tierLimits(tiers: TierTable): string {
  const branches = TIERS.map((tier) => `if tier == '${tier}' then\n  limits = ${limitsTable(tiers[tier])}\n`);
  return `${branches.join('else')}else\n  limits = ${limitsTable({})}\nend`;
}

function limitsTable(limits: Partial<TierLimits>): string {
  const columns = {
    writesPerMinute: limits.writesPerMinute,
    writesPerDay: limits.writesPerDay,
    reservations: limits.reservations,
    streams: limits.eventConnections,
    definitions: limits.definitions,
  };
  return `{ ${Object.entries(columns)
    .map(([name, limit]) => `${name} = ${limit ?? 'NO_LIMIT'}`)
    .join(', ')} }`;
}
