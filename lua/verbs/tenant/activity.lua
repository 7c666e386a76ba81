--[[
  Records a tenant's activity on one instance since that instance's last call, for the dashboard: operations, refusals
  and requests per minute of the last hour, and when each key was last used.

  ARGV[1]  number of operations
  ARGV[2]  number of refused operations among them
  ARGV[3]  number of requests
  ARGV[4]  SHA-256 of the first used key, hexadecimal; the others follow

  Returns nothing.
]]
local clock = require('frame/clock')

return function(keys, args)
  -- A tenant that is deleted keeps nothing; one that Redis has lost is counted again once it is loaded.
  if string.byte(redis.call('HGET', keys.tenant, 'hot') or '\0') == 0 then
    return
  end
  local minute = math.floor(clock.nowMs() / 60000)
  local slot = minute % 60
  local row = redis.call('HGET', keys.activity, slot) or ''
  local before, operations, refusals, requests = string.match(row, '^(%d+) (%d+) (%d+) (%d+)$')
  if tonumber(before) ~= minute then
    operations, refusals, requests = 0, 0, 0
  end
  local counts = { minute, operations + args[1], refusals + args[2], requests + args[3] }
  redis.call('HSET', keys.activity, slot, table.concat(counts, ' '))
  redis.call('EXPIRE', keys.activity, 7200)
  for i = 4, #args do
    if redis.call('HEXISTS', keys.tenant, 'key:' .. args[i]) == 1 then
      redis.call('HSET', keys.used, args[i], clock.nowMs())
    end
  end
end
