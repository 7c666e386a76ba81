--[[
  Says what of its limits the tenant uses (decisions, section 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)

  Returns {'OK', tier, writes in the window of a minute that is open, writes today (UTC), reservations, streams of events}; or {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = nil, 0
--@include charge
--@include codec
--@include slots
if expire(100) then
  commit()
  return { 'AGAIN' }
end
commit()
return { 'OK', tier, written, writtenToday, count, redis.call('ZCOUNT', base .. 'streams', nowMs, '+inf') }
