--[[
  Gives a stream of events its lease, unless the tenant has as many as its tier allows (interface, "Events" and "Limits"). The
  caller has subscribed to the tenant's channel before, so from now on it misses nothing.

  KEYS[1]  the tenant's hash

  ARGV[1]  SHA-256 of the API key, hexadecimal
  ARGV[2]  the stream's id
  ARGV[3]  ms that the lease lasts

  Returns {'OK'}; or {'LIMIT', 'EventConnections', limit, tier}; or {'NO_KEY'}, {'NO_TENANT'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include tellLimit
local streamsKey = base .. 'streams'
redis.call('ZREMRANGEBYSCORE', streamsKey, '-inf', nowMs)
local tier, limit = unpack(redis.call('HMGET', KEYS[1], 'tier', 'eventConnections'))
if limit and limit ~= '' and redis.call('ZCARD', streamsKey) >= tonumber(limit) then
  tellLimit('CONNECT', 'EventConnections', limit)
  return { 'LIMIT', 'EventConnections', limit, tier }
end
local leaseEnd = nowMs + ARGV[3]
redis.call('ZADD', streamsKey, leaseEnd, ARGV[2])
redis.call('HSET', KEYS[1], 'listenUntil', math.max(listenUntil, leaseEnd))
return { 'OK' }
