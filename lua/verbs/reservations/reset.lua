--[[
  Ends all reservations and tickets of the tenant in constant time. Sessions go on, without reservations. The slots are
  put aside for the history, or Redis frees their memory in the background.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  if the service does it for somebody: the actor (frame/admission.lua); else ''

  Returns {'OK', quota, number of reservations ended}, not counting reservations that were already due. Answers that
  are kept for other requests stay. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local answers = require('frame/answers')
local clock = require('frame/clock')
local events = require('events/events')
local keys = require('frame/keys')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')

-- Returns the number of reservations that are due and not ended yet.
local function countDue()
  local due = redis.call('ZCOUNT', keys.due, '-inf', clock.nowMs())
  if tenant.sessionsText then
    local ids = redis.call('ZRANGE', keys.sessionsDue, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, 100)
    for _, id in ipairs(ids) do
      due = due + redis.call('ZLEXCOUNT', keys.sessionHolds, '[' .. id .. '\n', '(' .. id .. '\11')
    end
  end
  return due
end

-- Puts the slots aside. verbs/history/keepReset.lua writes the history of these. If those of an earlier reset are still
-- there, these get none.
local function putAside(resetBy)
  if tenant.limits.history > 0 and tenant.count > 0 and redis.call('RENAMENX', keys.slots, keys.resetSlots) == 1 then
    redis.call('HSET', keys.resetSlots, '\0', string.format('%.0f %s', clock.nowMs(), resetBy))
  end
end

local function removeAll(actor)
  local resetBy = actor or 'the service'
  putAside(resetBy)
  redis.call('UNLINK', keys.slots, keys.due, keys.pools, keys.tickets, keys.lines, keys.waits, keys.sessionHolds)
  redis.call('HDEL', keys.tenant, 'queue', 'measured')
  tenantRecord.setFlag(tenantRecord.HAS_QUEUE, false)
  events.emit('RESET', { requestType = 'RESET', apiKeyLabel = tenant.keyLabel, actor = actor })
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  tenant.count, tenant.further, tenant.nextDue = 0, 0, math.huge
  local by = string.format('%.0f\n%s', clock.nowMs(), resetBy)
  quota.book()
  events.publish({ 'resets', resets + 1, 'resetBy', by })
  -- Every instance that holds calls ends them.
  for instance in string.gmatch(tenant.beats, '(%w+) %d+') do
    redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, '*\tRESET')
  end
end

return function(_, args)
  local refused = admission.admit('reset') or answers.before(true) or quota.charge('RESET', 1)
  if refused then
    return refused
  end
  local reply = { 'OK', quota.text(), tenant.count - countDue() }
  removeAll(args[3] ~= '' and args[3] or admission.actorName())
  return answers.keep(reply, true)
end
