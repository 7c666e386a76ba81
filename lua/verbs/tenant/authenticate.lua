--[[
  Verifies a credential and does nothing else.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  the right that it must have; '' none

  Returns {'OK', the tenant's tier, the label of the key or management token ('' none), its rights with spaces between
  them ('' all that such a credential can have)}, {'NO_KEY'}, {'SUSPENDED'}, {'FORBIDDEN', message} or {'NO_TENANT'}.
]]
local admission = require('frame/admission')
local tenant = require('frame/tenant')

return function(_, args)
  local refusal = admission.admit(args[2] ~= '' and args[2], {})
  if refusal then
    return refusal
  end
  local rights = tenant.grant and string.match(tenant.grant, '^[^\n]*') or tenant.rights or ''
  return { 'OK', tenant.tier, tenant.keyLabel, rights }
end
