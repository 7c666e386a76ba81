--[[
  Returns the tenant's usage of its limits.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)

  Returns {'OK', quota (limits/quota.lua), tier, writes in the current minute's window, writes today (UTC), number of
  reservations (of several slots: their slots; a session counts as one), of event streams, of definitions, of bytes
  that the tenant keeps}. Or a refusal (frame/admission.lua).
]]
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local quota = require('limits/quota')
local reading = require('frame/reading')
local tenant = require('frame/tenant')

return function(keys)
  local refused = reading.read('usage')
  if refused then
    return refused
  end
  -- Cost 0 charges nothing, and computes the windows as of now.
  quota.charge(nil, 0)
  local thisMinute, today = quota.spent()
  local streams = redis.call('ZCOUNT', keys.streams, clock.nowMs(), '+inf')
  local reservations = tenant.count + tenant.further + (tenant.sessions and tenant.sessions.count or 0)
  return {
    'OK', quota.readsQuota, tenant.tier, thisMinute, today, reservations, streams,
    tenant.definitions, bytes.bytesNow(),
  }
end
