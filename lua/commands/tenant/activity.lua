--[[
  Records a tenant's activity on one instance since that instance's last call, for the dashboard: operations, refusals
  and requests per minute of the last hour, and when each key was last used.

  KEYS[1]  tenant
  KEYS[2]  activity
  KEYS[3]  used

  ARGV[1]  number of operations
  ARGV[2]  number of refused operations among them
  ARGV[3]  number of requests
  ARGV[4]  SHA-256 of the first used key, hexadecimal; the others follow

  Returns nothing.
]]
--@include clock
-- A tenant that is deleted keeps nothing; one that Redis has lost is counted again once it is loaded.
if redis.call('HEXISTS', tenantKey, 'tier') == 0 then
  return
end
local minute = math.floor(nowMs / 60000)
local slot = minute % 60
local row = redis.call('HGET', activityKey, slot) or ''
local before, operations, refusals, requests = string.match(row, '^(%d+) (%d+) (%d+) (%d+)$')
if tonumber(before) ~= minute then
  operations, refusals, requests = 0, 0, 0
end
local counts = { minute, operations + ARGV[1], refusals + ARGV[2], requests + ARGV[3] }
redis.call('HSET', activityKey, slot, table.concat(counts, ' '))
redis.call('EXPIRE', activityKey, 7200)
for i = 4, #ARGV do
  if redis.call('HEXISTS', tenantKey, 'key:' .. ARGV[i]) == 1 then
    redis.call('HSET', usedKey, ARGV[i], nowMs)
  end
end
