--[[
  Renews the leases of streams that one credential has opened, if it is still valid. A stream whose lease has lapsed may
  have missed events, since none need be published when no stream has a lease: it must end, like one whose credential is
  gone.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  streams
  KEYS[4]  sessionStreams

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  ms that a lease lasts
  ARGV[3]  the first stream's id

  Returns {number of the last message, id, ...}: the streams that must end; their leases are given back.
]]
--@include clock
--@include admit
--@include streamsOf
local mine = streamsOf(ARGV[1])
local isValid = not admit()
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
