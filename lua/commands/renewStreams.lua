--[[
  Renews the leases of streams whose keys are still valid. A stream whose lease has lapsed may have missed events, since none need
  be published when no stream has a lease: it must end, like one whose key is gone.

  KEYS[1]  tenant
  KEYS[2]  streams
  KEYS[3]  sessionStreams
  KEYS[4]  the first of one for each stream: the key of its token or session (admit.lua), the tenant's hash for an API key

  ARGV[1]  ms that a lease lasts
  ARGV[2]  the first of two for each stream: its id, the credential that opened it (admit.lua)

  Returns {number of the last message, id, ...}: the streams that must end; their leases are given back.
]]
--@include tenant
--@include streamsOf
local function isValid(credential, key)
  if key == tenantKey then
    return not suspended and redis.call('HEXISTS', tenantKey, 'key:' .. credential) == 1
  end
  return not suspended and redis.call('EXISTS', key) == 1
end
local leaseEnd = nowMs + ARGV[1]
local ended, isRenewed = {}, false
for i = 2, #ARGV, 2 do
  local credential = ARGV[i + 1]
  local mine = streamsOf(credential)
  local lapses = redis.call('ZSCORE', mine, ARGV[i])
  if lapses and tonumber(lapses) > nowMs and isValid(credential, KEYS[i / 2 + 3]) then
    redis.call('ZADD', mine, leaseEnd, ARGV[i])
    isRenewed = true
  else
    redis.call('ZREM', mine, ARGV[i])
    ended[#ended + 1] = ARGV[i]
  end
end
if isRenewed then
  redis.call('HSET', tenantKey, 'listenUntil', math.max(listenUntil, leaseEnd))
end
return { messages, unpack(ended) }
