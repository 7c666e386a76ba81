--[[
  Notes, for people to look at, what an instance has carried out for a tenant since it last did: operations and refusals by the minute, for
  an hour, and when keys were last used.

  KEYS[1]  the tenant's hash

  ARGV[1]  operations
  ARGV[2]  how many of them were refused
  ARGV[3]  the first of one for each key that was used: its SHA-256, hexadecimal

  Returns nothing.
]]
--@include clock
local base = string.sub(KEYS[1], 1, -7)
local minute = math.floor(nowMs / 60000)
local slot = minute % 60
local before, operations, refusals = string.match(redis.call('HGET', base .. 'activity', slot) or '', '(%d+) (%d+) (%d+)')
if tonumber(before) ~= minute then
  operations, refusals = 0, 0
end
redis.call('HSET', base .. 'activity', slot, minute .. ' ' .. operations + ARGV[1] .. ' ' .. refusals + ARGV[2])
redis.call('EXPIRE', base .. 'activity', 7200)
for i = 3, #ARGV do
  if redis.call('HEXISTS', base .. 'keys', ARGV[i]) == 1 then
    redis.call('HSET', base .. 'used', ARGV[i], nowMs)
  end
end
