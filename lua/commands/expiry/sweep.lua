--[[
  Ends some of a tenant's due reservations, and returns the time when the next is due. The caller may then raise the
  tenant's time in the expiry index to that, if nobody has lowered it in the meantime; a reserve that relied on the old
  time sees by `swept` that it may be gone (index.lua).

  KEYS[1]  tenant
  KEYS[2]  slots
  KEYS[3]  due
  KEYS[4]  pools

  ARGV[1]  ''

  Returns {'OK', ended, next due ms}, -1 if nothing will be due; or {'AGAIN', ended} if there is more to do now.
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
