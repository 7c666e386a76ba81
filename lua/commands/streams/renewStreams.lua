--[[
  Renews the leases of the streams that one credential opened, if the credential is still valid; if not, the streams
  must end. A stream whose lease has lapsed must end too: it may have missed events, since scripts publish none while no
  stream has a lease.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  streams
  KEYS[4]  sessionStreams

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  duration of a lease in ms
  ARGV[3]  the first stream's id

  Returns {number of the last message, id, ...}: the streams that must end. Their leases are deleted.
]]
--@include clock
--@include admit
--@include streamsOf
local mine = streamsOf(ARGV[1])
local isValid = not admit('read')
local leaseEnd = nowMs + ARGV[2]
local ended, isRenewed = {}, false
for i = 3, #ARGV do
  local lapses = redis.call('ZSCORE', mine, ARGV[i])
  if isValid and lapses and tonumber(lapses) > nowMs then
    redis.call('ZADD', mine, leaseEnd, ARGV[i])
    isRenewed = true
  else
    redis.call('ZREM', mine, ARGV[i])
    ended[#ended + 1] = ARGV[i]
  end
end
if isRenewed then
  redis.call('HSET', tenantKey, 'listenUntil', math.max(tenant.listenUntil, leaseEnd))
end
return { tenant.messages, unpack(ended) }
