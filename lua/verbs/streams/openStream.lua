--[[
  Creates the lease of an event stream, unless the tenant already has as many streams as its tier allows. The caller
  subscribes to the tenant's channel before this call, so it misses no later event.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  the stream's id
  ARGV[3]  duration of the lease in ms

  Returns {'OK', ms until the credential ends (-1: never), number of the last message, the Redis process that
  publishes}. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local clock = require('frame/clock')
local events = require('events/events')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')

return function(keys, args)
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
  local leaseEnd = clock.nowMs() + args[3]
  redis.call('ZADD', mine, leaseEnd, args[2])
  local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  -- While no stream had a lease, no event was published. The number skips one, so that an older stream notices the gap.
  local number = events.isListening() and process == tenant.publisher and tenant.messages or tenant.messages + 1
  tenant.listenUntil = math.max(tenant.listenUntil, leaseEnd)
  tenant.messages, tenant.publisher = number, process
  tenantRecord.saveTenant()
  local endsInMs = -1
  if keys.credential ~= keys.tenant then
    endsInMs = redis.call('PTTL', keys.credential)
  elseif tenant.endsAt and tenant.endsAt > 0 then
    endsInMs = tenant.endsAt - clock.nowMs()
  end
  return { 'OK', endsInMs, number, process }
end
