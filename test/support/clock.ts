/**
 * A clock that a test steers: stands in for lua/frame/now.lua and reads `{tenant}:clock`, microseconds; Redis's own
 * time where a tenant has none.
 */
import type { RedisClient } from '../../src/redis/client.ts';

export const STEERED_CLOCK = `
return function(tenantKey)
  local us = tonumber(redis.call('GET', (string.gsub(tenantKey, ':[^:]*$', ':clock'))) or 0)
  if us == 0 then
    local time = redis.call('TIME')
    us = time[1] * 1000000 + time[2]
  end
  return us
end`;

/** Sets a tenant's time to ms since 1970 UTC. */
export const setClock = (redis: RedisClient, tenant: string, ms: number) => redis.set(`{${tenant}}:clock`, ms * 1000);
