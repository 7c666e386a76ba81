-- Verbs of the leases of event streams.
local admission = require('frame/admission')
local clock = require('frame/clock')
local endsSoon = require('events/endsSoon')
local events = require('events/events')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local verbs = {}

--[[ openStream (ARGV[1] credential)
  Creates the lease of an event stream, unless the tenant already has as many streams as its tier allows. The caller
  subscribes to the tenant's channel before this call, so it misses no later event.

  ARGV[2]  the stream's id
  ARGV[3]  duration of the lease in ms

  Returns {'OK', ms until the credential ends (-1: never), number of the last message, the Redis process that publishes,
  ms until which the caller must put the tenant into the due index (-1: it is there)}.
]]
function verbs.openStream(keys, args)
  local refused = admission.admit('read')
  if refused then
    return refused
  end
  local mine = events.streamsOf(args[1])
  redis.call('ZREMRANGEBYSCORE', mine, '-inf', clock.nowMs())
  -- Streams of sessions do not count towards the tier's limit. 200 is more than anybody has pages open.
  local cap = mine == keys.streams and tenant.limits.streams or 200
  if redis.call('ZCARD', mine) >= cap then
    -- Other streams end at any time, so an early retry can succeed.
    return quota.refuse('CONNECT', 'EventConnections', cap, 1, 5)
  end
  local leaseEnd, wasWanted = clock.nowMs() + args[3], endsSoon.isWanted()
  redis.call('ZADD', mine, leaseEnd, args[2])
  local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  -- While no stream had a lease, no event was published. The number skips one, so that an older stream notices the gap.
  local number = events.isListening() and process == tenant.publisher and tenant.messages or tenant.messages + 1
  tenant.listenUntil = math.max(tenant.listenUntil, leaseEnd)
  tenant.messages, tenant.publisher = number, process
  tenant.save()
  local endsInMs = -1
  if keys.credential ~= keys.tenant then
    endsInMs = redis.call('PTTL', keys.credential)
  elseif tenant.endsAt and tenant.endsAt > 0 then
    endsInMs = tenant.endsAt - clock.nowMs()
  end
  return { 'OK', endsInMs, number, process, endsSoon.begin(wasWanted) }
end

--[[ renewStreams (ARGV[1] credential)
  Renews the leases of the streams that one credential opened, if the credential is still valid; if not, the streams
  must end. A stream whose lease has lapsed must end too: it may have missed events, since scripts publish none while no
  stream has a lease.

  ARGV[2]  duration of a lease in ms
  ARGV[3]  the first stream's id

  Returns {number of the last message, id, ...}: the streams that must end. Their leases are deleted.
]]
function verbs.renewStreams(_, args)
  local mine = events.streamsOf(args[1])
  local isValid = not admission.admit('read')
  local leaseEnd = clock.nowMs() + args[2]
  local ended, isRenewed = {}, false
  for i = 3, #args do
    local lapses = redis.call('ZSCORE', mine, args[i])
    if isValid and lapses and tonumber(lapses) > clock.nowMs() then
      redis.call('ZADD', mine, leaseEnd, args[i])
      isRenewed = true
    else
      redis.call('ZREM', mine, args[i])
      ended[#ended + 1] = args[i]
    end
  end
  if isRenewed then
    tenant.listenUntil = math.max(tenant.listenUntil, leaseEnd)
    tenant.save()
  end
  return { tenant.messages, unpack(ended) }
end

--[[ closeStreams
  Deletes the leases of streams that have ended. When no lease is left, scripts stop emitting events.

  ARGV[1]  the first stream's id

  Returns nothing.
]]
function verbs.closeStreams(keys, args)
  for i = 1, #args do
    redis.call('ZREM', keys.streams, args[i])
    redis.call('ZREM', keys.sessionStreams, args[i])
  end
  if redis.call('EXISTS', keys.streams, keys.sessionStreams) == 0 then
    tenant.listenUntil = 0
    tenant.save()
  end
end

return verbs
