--[[
  Records a tenant's activity on one instance since that instance's last call, for the dashboard: operations and
  refusals per minute of the last hour, and when each key was last used.

  KEYS[1]  tenant
  KEYS[2]  activity
  KEYS[3]  used

  ARGV[1]  number of operations
  ARGV[2]  number of refused operations among them
  ARGV[3]  SHA-256 of the first used key, hexadecimal; the others follow

  Returns nothing.
]]
--@include clock
local minute = math.floor(nowMs / 60000)
local slot = minute % 60
local before, operations, refusals = string.match(redis.call('HGET', activityKey, slot) or '', '(%d+) (%d+) (%d+)')
if tonumber(before) ~= minute then
  operations, refusals = 0, 0
end
redis.call('HSET', activityKey, slot, minute .. ' ' .. operations + ARGV[1] .. ' ' .. refusals + ARGV[2])
redis.call('EXPIRE', activityKey, 7200)
for i = 3, #ARGV do
  if redis.call('HEXISTS', tenantKey, 'key:' .. ARGV[i]) == 1 then
    redis.call('HSET', usedKey, ARGV[i], nowMs)
  end
end
