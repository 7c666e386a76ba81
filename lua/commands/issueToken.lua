--[[
  Issues a derived token, which ends by itself.

  KEYS[1]  tenant
  KEYS[2]  credential

  ARGV[1]  token:<SHA-256 of the token, hexadecimal>
  ARGV[2]  how the request is sent (flags.lua)
  ARGV[3]  ms that it lives

  Returns {'OK', quota}; or {'FREE'} if the tenant's tier has no such tokens; or what refuse() in refuse.lua returns; or
  {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include charge
--@include flags
if not tier then
  return { 'NO_TENANT' }
elseif suspended then
  return { 'SUSPENDED' }
elseif tier == 'Free' then
  return { 'FREE' }
end
local refused = charge(nil, isRepeated and redis.call('EXISTS', credentialKey) == 1 and 0 or 1)
if refused then
  return refused
end
redis.call('SET', credentialKey, '', 'PX', ARGV[3])
pay()
return { 'OK', quota }
