--[[
  Issues a derived token, which expires.

  ARGV[1]  token:<SHA-256 of the token, hexadecimal>
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  lifetime of the token in ms
  ARGV[4]  lifetime of the set in ms

  Returns {'OK', quota}; or {'FREE'} if the tenant is on the Free tier, which has no derived tokens. Or a refusal
  (frame/admission.lua).
]]
local flags = require('frame/flags')
local quota = require('limits/quota')
local tenant = require('frame/tenant')

return function(keys, args)
  if not tenant.tier then
    return { 'NO_TENANT' }
  elseif tenant.isSuspended then
    return { 'SUSPENDED' }
  elseif tenant.tier == 'Free' then
    return { 'FREE' }
  end
  local refused = quota.charge(nil, flags.isRepeated and redis.call('EXISTS', keys.credential) == 1 and 0 or 1)
  if refused then
    return refused
  end
  quota.pay()
  redis.call('SET', keys.credential, '', 'PX', args[3])
  redis.call('SADD', keys.tokens, args[1])
  redis.call('PEXPIRE', keys.tokens, args[4])
  return { 'OK', quota.text() }
end
