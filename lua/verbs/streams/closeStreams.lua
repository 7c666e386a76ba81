--[[
  Deletes the leases of streams that have ended. When no lease is left, scripts stop emitting events.

  ARGV[1]  the first stream's id

  Returns nothing.
]]
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')

return function(keys, args)
  for i = 1, #args do
    redis.call('ZREM', keys.streams, args[i])
    redis.call('ZREM', keys.sessionStreams, args[i])
  end
  if redis.call('EXISTS', keys.streams, keys.sessionStreams) == 0 then
    tenant.listenUntil = 0
    tenantRecord.saveTenant()
  end
end
