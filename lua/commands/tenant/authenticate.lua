--[[
  Verifies a credential and does nothing else.

  KEYS[1]  tenant
  KEYS[2]  credential

  ARGV[1]  the credential (admit.lua)

  Returns {'OK', the tenant's tier}, {'NO_KEY'}, {'SUSPENDED'} or {'NO_TENANT'}.
]]
--@include admit
return admit() or { 'OK', tenant.tier }
