--[[
  Gives a stream of events its lease, unless the tenant has as many as its tier allows (interface, "Events" and "Limits"). The
  caller has subscribed to the tenant's channel before, so from now on it misses nothing.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  the stream's id
  ARGV[3]  ms that the lease lasts

  Returns {'OK', ms after which the asker's token or session ends, -1 for a key, the number of the last message}; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
--@include streamsOf
local streamsKey = streamsOf(ARGV[1])
redis.call('ZREMRANGEBYSCORE', streamsKey, '-inf', nowMs)
-- Streams of sessions do not count (interface, "Events" 4), but nobody looks at so many pages.
local cap = streamsKey == base .. 'streams' and streamCap or 200
if redis.call('ZCARD', streamsKey) >= cap then
  -- Others come and go at any time.
  return refuse('CONNECT', 'EventConnections', cap, 1, 5)
end
local leaseEnd = nowMs + ARGV[3]
redis.call('ZADD', streamsKey, leaseEnd, ARGV[2])
redis.call('HSET', KEYS[1], 'listenUntil', math.max(listenUntil, leaseEnd))
-- While no stream had a lease nothing was published: one that has slept through its own must see a gap.
local last = redis.call('HINCRBY', KEYS[1], 'messages', listening and 0 or 1)
return { 'OK', #ARGV[1] == 64 and -1 or redis.call('PTTL', base .. ARGV[1]), last }
