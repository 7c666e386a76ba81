--[[
  Returns whether a resource has a free slot.

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

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  resource

  Returns {'OK', 1 if a slot is free, else 0}; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include look
--@include availability
--@include waiting/open
local refused = look('definitions')
if refused then
  return refused
end
return { 'OK', hasFreeSlot(resolve(ARGV[2])) and 1 or 0 }
