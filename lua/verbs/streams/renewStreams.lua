--[[
  Renews the leases of the streams that one credential opened, if the credential is still valid; if not, the streams
  must end. A stream whose lease has lapsed must end too: it may have missed events, since scripts publish none while no
  stream has a lease.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  duration of a lease in ms
  ARGV[3]  the first stream's id

  Returns {number of the last message, id, ...}: the streams that must end. Their leases are deleted.
]]
local admission = require('frame/admission')
local clock = require('frame/clock')
local events = require('events/events')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')

return function(_, args)
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
    tenantRecord.saveTenant()
  end
  return { tenant.messages, unpack(ended) }
end
