--[[
  Charges a request that no other script carries out to the quota of writes: a change of settings or keys.

  KEYS[1]  tenant
  KEYS[2]  credential

  ARGV[1]  the credential (admit.lua)

  Returns {'OK', quota}; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include admit
--@include pay
local refused = admit() or charge(nil, 1)
if refused then
  return refused
end
pay()
return { 'OK', charged.quota }
