--[[
  Renews the leases of streams whose keys are still valid. A stream whose lease has lapsed may have missed events, since none need
  be published when no stream has a lease: it must end, like one whose key is gone.

  KEYS[1]  the tenant's hash

  ARGV[1]  ms that a lease lasts
  ARGV[2]  the first of two for each stream: its id, who opened it (gate.lua)

  Returns the number of the last message, then the ids of the streams that must end; their leases are given back.
]]
--@include clock
--@include tenant
--@include streamsOf
local suspended = redis.call('HGET', KEYS[1], 'suspended') == '1'
local function isValid(asker)
  if #asker == 64 then
    return redis.call('HEXISTS', base .. 'keys', asker) == 1
  end
  return not suspended and redis.call('EXISTS', base .. asker) == 1
end
local leaseEnd = nowMs + ARGV[1]
local ended = { tonumber(redis.call('HGET', KEYS[1], 'messages') or 0) }
for i = 2, #ARGV, 2 do
  local asker = ARGV[i + 1]
  local streamsKey = streamsOf(asker)
  local lapses = redis.call('ZSCORE', streamsKey, ARGV[i])
  if lapses and tonumber(lapses) > nowMs and isValid(asker) then
    redis.call('ZADD', streamsKey, leaseEnd, ARGV[i])
    listenUntil = math.max(listenUntil, leaseEnd)
  else
    redis.call('ZREM', streamsKey, ARGV[i])
    ended[#ended + 1] = ARGV[i]
  end
end
if listenUntil > 0 then
  redis.call('HSET', KEYS[1], 'listenUntil', listenUntil)
end
return ended
