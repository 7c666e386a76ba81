--[[
  Ends what is due of a tenant, at most so many reservations, and says when the next is due (decisions, section 7).
  The caller may raise the tenant's time in the expiry index to what is returned, if nobody lowered it in the meantime.

  KEYS[1]  the tenant's hash

  ARGV[1]  how many reservations at most

  Returns {'OK', ended, next due ms}: -1 where nothing will be due; or {'AGAIN', ended} where more may be due now.
]]
--@include clock
--@include tenant
--@include codec
local keyLabel = ''
--@include slots
local before = count
local more = expire(tonumber(ARGV[1]))
commit()
if more then
  return { 'AGAIN', before - count }
end
if indexed ~= nextDue then
  redis.call('HSET', KEYS[1], 'indexed', nextDue)
end
return { 'OK', before - count, nextDue == math.huge and -1 or nextDue }
