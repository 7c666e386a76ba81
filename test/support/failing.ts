/**
 * Makes one of the Redis calls of a function fail (lua/frame/run.lua).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { LUA_FOLDER } from '../../src/redis/bundle.ts';
import type { RedisClient } from '../../src/redis/client.ts';

/** The key that has the number of the call which is to fail. */
export const FAIL_AT = 'failing:failAt';

/**
 * A stand-in for lua/frame/run.lua. It makes the call fail whose number FAIL_AT holds, unless something was written
 * before it.
 */
export async function failingRun(redis: Redis | RedisClient): Promise<string> {
  // The commands that write, or send to others.
  const writing = [...String(await redis.acl('CAT', 'write')).split(','), 'spublish'];
  return `
local real, calls, wrote, failAt = redis, 0, false, 0
local WRITES = {}
for name in string.gmatch('${writing.join(' ').toUpperCase()}', '%u+') do
  WRITES[name] = true
end
redis = {
  pcall = real.pcall, sha1hex = real.sha1hex, log = real.log, LOG_WARNING = real.LOG_WARNING,
  call = function(...)
    calls = calls + 1
    if calls == failAt and not wrote then
      error('call ' .. calls .. ' fails')
    end
    wrote = wrote or WRITES[...]
    return real.call(...)
  end,
}
local run = (function()
${readFileSync(join(LUA_FOLDER, 'frame', 'run.lua'), 'utf8')}
end)()
return function(verb, keys, args)
  calls, wrote = 0, false
  failAt = tonumber(real.call('GET', '${FAIL_AT}') or 0)
  return run(verb, keys, args)
end
`;
}
