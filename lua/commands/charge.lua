--[[
  Charges a request that no script carries out to the quota of writes (decisions, section 8): of tenants' settings and keys.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)

  Returns {'OK', quota}; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = nil, 1
--@include charge
pay()
return { 'OK', quota }
