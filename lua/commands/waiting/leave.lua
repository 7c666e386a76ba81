--[[
  Notes that calls of an instance have ended: their callers disconnected, or the instance stops. Their tickets are
  attended for a while longer, in case the callers come back.

  KEYS[1]  tenant
  KEYS[2]  slots
  KEYS[3]  due
  KEYS[4]  pools
  KEYS[5]  definitions
  KEYS[6]  tickets
  KEYS[7]  lines
  KEYS[8]  waits
  KEYS[9]  sessions
  KEYS[10]  sessionHolds
  KEYS[11]  sessionsDue
  KEYS[12]  index
  KEYS[13]  history

  ARGV[1]  ''
  ARGV[2]  the instance
  ARGV[3]  the first ticket; the others follow

  Returns {'OK'} or {'AGAIN'}.
]]
--@include expiry
tenant.mayWait = true
--@include waiting/open
--@part waiting/leave
if not tenant.queue then
  tenant.openQueue()
end
local again = expire()
if again then
  return again
end
for i = 3, #ARGV do
  tenant.queue.leave(ARGV[i], ARGV[2])
end
return finish({ 'OK' })
