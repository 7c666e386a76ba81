--[[
  Issues a derived token, which ends by itself (decisions, section 9).

  KEYS[1]  the tenant's hash

  ARGV[1]  token:<SHA-256 of the token, hexadecimal>
  ARGV[2]  ms that it lives
  ARGV[3]  tokens:<issuer>:<minute>:<digit>, the set that the token is put into, so that it ends when its issuer is removed (engine/tokens.ts)
  ARGV[4]  ms that the set is kept

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
redis.call('SADD', base .. ARGV[3], ARGV[1])
redis.call('PEXPIRE', base .. ARGV[3], ARGV[4])
return { 'OK', quota }
