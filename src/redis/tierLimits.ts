/**
 * The table of tiers as Lua, for `--@include limits`: so scripts go by the table that the instance was configured with, and a tenant's
 * record need only name its tier.
 */
import { TIERS, type TierTable } from '../domain/tiers.ts';

/** Stands for any number: greater than any count, and than any limit that the configuration takes. */
const NO_LIMIT = 2 ** 53;

/**
 * Lua that sets writesPerMinute, writesPerDay, reservationCap, streamCap and definitionCap by the tenant's tier;
 * NO_LIMIT for any number.
 */
export function tierLimits(tiers: TierTable): string {
  const branches = TIERS.map((tier) => {
    const { writesPerMinute, writesPerDay, reservations, eventConnections, definitions } = tiers[tier];
    const columns = [writesPerMinute, writesPerDay, reservations, eventConnections, definitions];
    const limits = columns.map((limit) => limit ?? 'NO_LIMIT');
    return `if tier == '${tier}' then
  writesPerMinute, writesPerDay, reservationCap, streamCap, definitionCap = ${limits.join(', ')}
`;
  });
  return `local NO_LIMIT = ${NO_LIMIT}
local writesPerMinute, writesPerDay, reservationCap, streamCap, definitionCap = NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT
${branches.join('else')}end`;
}
