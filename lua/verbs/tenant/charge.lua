--[[
  Charges a request to the quota of writes that no other script charges: a change of settings or keys.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  the right that it must have

  Returns {'OK', quota}. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local quota = require('limits/quota')

return function(_, args)
  local refused = admission.admit(args[2]) or quota.charge(nil, 1)
  if refused then
    return refused
  end
  quota.pay()
  return { 'OK', quota.text() }
end
