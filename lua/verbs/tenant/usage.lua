--[[
  Returns the tenant's usage of its limits.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history
  KEYS[15]  streams
  KEYS[16]  readsFree
  KEYS[17]  readsStarter
  KEYS[18]  readsPro
  KEYS[19]  readsEnterprise
  KEYS[20]  answers

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)

  Returns {'OK', quota (limits/quota.lua), tier, writes in the current minute's window, writes today (UTC), number of
  reservations (of several slots: their slots; a session counts as one), of event streams, of definitions, of bytes that
  the tenant keeps}; or the reply of refuse() in limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
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
