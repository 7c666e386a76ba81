-- Verbs that charge what no other verb does, and tell how much of the limits is used.
local admission = require('frame/admission')
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local lists = require('bookings/lists')
local quota = require('limits/quota')
local reading = require('frame/reading')
local tenant = require('frame/tenant')
local verbs = {}

--[[ charge (ARGV[1] credential)
  Charges a request to the quota of writes that no other script charges: a change of settings or keys.

  ARGV[2]  the right that it must have

  Returns {'OK', quota}.
]]
function verbs.charge(_, args)
  local refused = admission.admit(args[2]) or quota.charge(nil, 1)
  if refused then
    return refused
  end
  quota.pay()
  return { 'OK', quota.text() }
end

--[[ chargeReads (ARGV[1] credential)
  Charges reads that no other script charges.

  ARGV[2]  number of reads
  ARGV[3]  the right that the credential must have; '' none
  ARGV[4]  1 if the reads are charged even if the quota is used up, else 0

  Returns {'OK', quota}.
]]
function verbs.chargeReads(_, args)
  local refused = admission.admit(args[3] ~= '' and args[3], {})
  if refused then
    return refused
  end
  local misfit = quota.chargeReads(tonumber(args[2]), args[4] == '1')
  if misfit then
    return quota.refuse(unpack(misfit))
  end
  return { 'OK', quota.readsQuota }
end

--[[ emitLimitReached (ARGV[1] credential)
  Emits the event for a limit that no script checks: the quota of reads.

  ARGV[2]  requestType; '' none
  ARGV[3]  limitType
  ARGV[4]  limit

  Returns {'OK'}.
]]
function verbs.emitLimitReached(_, args)
  local refused = admission.admit()
  if refused then
    return refused
  end
  quota.refuse(args[2], args[3], args[4], 1, 1)
  return { 'OK' }
end

--[[ usage (ARGV[1] credential, ARGV[2] reads)
  Returns the tenant's usage of its limits.

  Returns {'OK', quota, tier, writes in the current minute's window, writes today (UTC), number of reservations (of
  several slots: their slots; a session counts as one), of event streams, of definitions, of bytes that the tenant
  keeps, of bookings}.
]]
verbs.usage = reading.verb('usage', function(keys)
  -- Cost 0 charges nothing, and computes the windows as of now.
  quota.charge(nil, 0)
  local thisMinute, today = quota.spent()
  local streams = redis.call('ZCOUNT', keys.streams, clock.nowMs(), '+inf')
  local reservations = tenant.count + tenant.moreSlots + (tenant.sessions and tenant.sessions.count or 0)
  return {
    'OK', quota.readsQuota, tenant.tier, thisMinute, today, reservations, streams,
    tenant.definitions, bytes.bytesNow(), lists.count(),
  }
end)

return verbs
