--[[
  Renews the leases of streams whose keys are still valid. A stream whose lease has lapsed may have missed events, since none need
  be published when no stream has a lease: it must end, like one whose key is gone.

  KEYS[1]  the tenant's hash

  ARGV[1]  ms that a lease lasts
  ARGV[2]  the first of two for each stream: its id, SHA-256 of its API key, hexadecimal

  Returns the ids of the streams that must end; their leases are given back.
]]
--@include clock
--@include tenant
local leaseEnd = nowMs + ARGV[1]
local ended = {}
for i = 2, #ARGV, 2 do
  local lapses = redis.call('ZSCORE', base .. 'streams', ARGV[i])
  if lapses and tonumber(lapses) > nowMs and redis.call('HEXISTS', base .. 'keys', ARGV[i + 1]) == 1 then
    redis.call('ZADD', base .. 'streams', leaseEnd, ARGV[i])
    listenUntil = math.max(listenUntil, leaseEnd)
  else
    redis.call('ZREM', base .. 'streams', ARGV[i])
    ended[#ended + 1] = ARGV[i]
  end
end
if listenUntil > 0 then
  redis.call('HSET', KEYS[1], 'listenUntil', listenUntil)
end
return ended
