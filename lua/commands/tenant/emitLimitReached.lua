--[[
  Emits the event for a limit that no script checks: the quota of reads.

  KEYS[1]  tenant
  KEYS[2]  credential

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  requestType; '' none
  ARGV[3]  limitType
  ARGV[4]  limit

  Returns {'OK'}; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include admit
--@include refuse
local refused = admit()
if refused then
  return refused
end
refuse(ARGV[2], ARGV[3], ARGV[4], 1, 1)
return { 'OK' }
