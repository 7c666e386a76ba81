--[[
  Verifies a credential and does nothing else.

  KEYS[1]  tenant
  KEYS[2]  credential

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the right that it must have; '' none

  Returns {'OK', the tenant's tier, the label of the key or management token ('' none)}, {'NO_KEY'}, {'SUSPENDED'},
  {'FORBIDDEN', message} or {'NO_TENANT'}.
]]
--@include admit
return admit(ARGV[2] ~= '' and ARGV[2], {}) or { 'OK', tenant.tier, tenant.keyLabel }
