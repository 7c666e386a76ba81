--[[
  Emits the event for a limit that no script checks: the quota of reads.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  requestType; '' none
  ARGV[3]  limitType
  ARGV[4]  limit

  Returns {'OK'}. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local quota = require('limits/quota')

return function(_, args)
  local refused = admission.admit()
  if refused then
    return refused
  end
  quota.refuse(args[2], args[3], args[4], 1, 1)
  return { 'OK' }
end
