/**
 * A clock that a test steers: stands in for lua/lib/clock.lua and reads `{tenant}:clock`, microseconds; Redis's own
 * time where a tenant has none.
 */
import type { RedisClient } from '../../src/redis/client.ts';

export const STEERED_CLOCK = `
local nowUs = tonumber(redis.call('GET', (string.gsub(KEYS[1], ':[^:]*$', ':clock'))) or 0)
if nowUs == 0 then
  local time = redis.call('TIME')
  nowUs = time[1] * 1000000 + time[2]
end
local nowMs = math.floor(nowUs / 1000)
`;

/** Sets a tenant's time to ms since 1970 UTC. */
export const setClock = (redis: RedisClient, tenant: string, ms: number) => redis.set(`{${tenant}}:clock`, ms * 1000);
