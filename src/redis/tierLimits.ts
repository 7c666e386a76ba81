/**
 * Writes the table of tiers as the Lua module frame/limits. So functions have the limits of the instance's
 * configuration, and a tenant's record has only the name of its tier.
 */
import { TIERS, type TierLimits, type TierTable } from '../domain/tiers.ts';

/** Entries of a tenant's history that Redis keeps at most: some 20 MB. */
const MAX_HISTORY = 100_000;

/** Returns a Lua module (bundle.ts): the limits of tiers by their numbers; 0: the tenant is not loaded. */
export const limitsModule = (tiers: TierTable): string => `local NO_LIMIT = 9007199254740992
return { [0] = ${[{}, ...TIERS.map((tier) => tiers[tier])].map(limitsTable).join(', ')} }`;

function limitsTable(limits: Partial<TierLimits>): string {
  const columns = {
    readsPerMinute: limits.readsPerMinute,
    writesPerMinute: limits.writesPerMinute,
    writesPerDay: limits.writesPerDay,
    reservations: limits.reservations,
    streams: limits.eventConnections,
    definitions: limits.definitions,
    bytes: limits.bytes,
  };
  const history = limits.historyDays === 0 ? 0 : Math.min(limits.historyEntries ?? MAX_HISTORY, MAX_HISTORY);
  return `{ ${Object.entries(columns)
    .map(([name, limit]) => `${name} = ${limit ?? 'NO_LIMIT'}`)
    .join(', ')}, history = ${history} }`;
}
