--[[
  Notes that calls of an instance have ended: their callers disconnected, or the instance stops. Their tickets are
  attended for a while longer, in case the callers come back.

  ARGV[1]  ''
  ARGV[2]  the instance
  ARGV[3]  the first ticket; the others follow

  Returns {'OK'} or {'AGAIN'}.
]]
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')

return function(_, args)
  tenant.mayWait = true
  waitingQueue.prepare()
  local queue = tenant.openQueue()
  local again = expiry.expire()
  if again then
    return again
  end
  for i = 3, #args do
    queue.leave(args[i], args[2])
  end
  return committing.finish({ 'OK' })
end
