--[[
  Verifies a key and does nothing else (interface, "Authentication").

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)

  Returns {'OK', the tenant's tier}, {'NO_KEY'}, {'SUSPENDED'} or {'NO_TENANT'}.
]]
--@include gate
return { 'OK', redis.call('HGET', KEYS[1], 'tier') }
