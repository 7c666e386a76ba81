--[[
  Ends some of a tenant's due reservations, and returns the next due time. The caller then raises the tenant's time in
  the expiry index to it, unless another instance has lowered it in the meantime. A reserve that relied on the old time
  notices the change of `swept` (index.lua).

  KEYS[1]  tenant
  KEYS[2]  slots
  KEYS[3]  due
  KEYS[4]  pools

  ARGV[1]  ''

  Returns {'OK', number of reservations ended, next due time in ms or -1 for none}; or {'AGAIN', number of reservations
  ended} if more are due now.
]]
--@include expiry
local before = tenant.count
local again = expire()
if again then
  return { 'AGAIN', before - tenant.count }
end
finish()
redis.call('HSET', tenantKey, 'indexed', tenant.nextDue, 'swept', tenant.swept + 1)
return { 'OK', before - tenant.count, tenant.nextDue == math.huge and -1 or tenant.nextDue }
