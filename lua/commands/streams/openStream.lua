--[[
  Gives a stream of events its lease, unless the tenant has as many as its tier allows. The caller has subscribed to the
  tenant's channel before, so from now on it misses nothing.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  streams
  KEYS[4]  sessionStreams

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the stream's id
  ARGV[3]  ms that the lease lasts

  Returns {'OK', ms after which the token or session ends (-1 for a key), number of the last message, the process that
  publishes}; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include clock
--@include admit
--@include limits
--@include refuse
--@include streamsOf
local refused = admit()
if refused then
  return refused
end
local mine = streamsOf(ARGV[1])
redis.call('ZREMRANGEBYSCORE', mine, '-inf', nowMs)
-- Streams of sessions do not count, but nobody looks at so many pages.
local cap = mine == streamsKey and limits.streams or 200
if redis.call('ZCARD', mine) >= cap then
  -- Others come and go at any time.
  return refuse('CONNECT', 'EventConnections', cap, 1, 5)
end
local leaseEnd = nowMs + ARGV[3]
redis.call('ZADD', mine, leaseEnd, ARGV[2])
local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
-- If nobody was listening, nothing was published, and a stream from before must not go on as if nothing had happened.
local number = listening and process == tenant.publisher and tenant.messages or tenant.messages + 1
redis.call(
  'HSET', tenantKey,
  'listenUntil', math.max(tenant.listenUntil, leaseEnd), 'messages', number, 'publisher', process
)
return { 'OK', credentialKey == tenantKey and -1 or redis.call('PTTL', credentialKey), number, process }
