--[[
  Charges a request to the quota of writes that no other script charges: a change of settings or keys.

  KEYS[1]  tenant
  KEYS[2]  credential

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the right that it must have

  Returns {'OK', quota}; or the reply of refuse() in refuse.lua; or {'NO_KEY'}, {'SUSPENDED'}, {'FORBIDDEN', message},
  {'NO_TENANT'}.
]]
--@include admit
--@include pay
local refused = admit(ARGV[2]) or charge(nil, 1)
if refused then
  return refused
end
pay()
return { 'OK', charged.quota }
