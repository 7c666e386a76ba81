--[[
  Issues a derived token, which ends by itself (decisions, section 9).

  KEYS[1]  the tenant's hash

  ARGV[1]  token:<SHA-256 of the token, hexadecimal>
  ARGV[2]  ms that it lives

  Returns {'OK', quota}; or {'FREE'} where the tenant's tier has no such tokens; or what refuse() in refuse.lua returns; or
  {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include clock
local keyLabel = ''
--@include tenant
if not tier then
  return { 'NO_TENANT' }
elseif redis.call('HGET', KEYS[1], 'suspended') == '1' then
  return { 'SUSPENDED' }
elseif tier == 'Free' then
  return { 'FREE' }
end
--@include publish
--@include refuse
local requestType, cost = nil, 1
--@include charge
pay()
redis.call('SET', base .. ARGV[1], '', 'PX', ARGV[2])
return { 'OK', quota }
