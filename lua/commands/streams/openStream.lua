--[[
  Creates the lease of an event stream, unless the tenant already has as many streams as its tier allows. The caller
  subscribes to the tenant's channel before this call, so it misses no later event.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  streams
  KEYS[4]  sessionStreams

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the stream's id
  ARGV[3]  duration of the lease in ms

  Returns {'OK', ms until the credential ends (-1: never), number of the last message, the Redis process
  that publishes}; or the reply of refuse() in refuse.lua; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include clock
--@include admit
--@include limits
--@include refuse
--@include streamsOf
local refused = admit('read')
if refused then
  return refused
end
local mine = streamsOf(ARGV[1])
redis.call('ZREMRANGEBYSCORE', mine, '-inf', nowMs)
-- Streams of sessions do not count towards the tier's limit. 200 is more than anybody has pages open.
local cap = mine == streamsKey and limits.streams or 200
if redis.call('ZCARD', mine) >= cap then
  -- Other streams end at any time, so an early retry can succeed.
  return refuse('CONNECT', 'EventConnections', cap, 1, 5)
end
local leaseEnd = nowMs + ARGV[3]
redis.call('ZADD', mine, leaseEnd, ARGV[2])
local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
-- While no stream had a lease, no event was published. The number skips one, so that an older stream notices the gap.
local number = listening and process == tenant.publisher and tenant.messages or tenant.messages + 1
redis.call(
  'HSET', tenantKey,
  'listenUntil', math.max(tenant.listenUntil, leaseEnd), 'messages', number, 'publisher', process
)
local endsInMs = -1
if credentialKey ~= tenantKey then
  endsInMs = redis.call('PTTL', credentialKey)
elseif tenant.endsAt and tenant.endsAt > 0 then
  endsInMs = tenant.endsAt - nowMs
end
return { 'OK', endsInMs, number, process }
