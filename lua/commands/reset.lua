--[[
  Ends all reservations of the tenant at once, however many (decisions, section 6): begins a new epoch. What the epochs before
  it held is unlinked later, by sweeps.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  ms: the time at which the expiry index now holds the tenant; '' where nothing was written there

  Returns {'OK', quota, reservations that this ended}, those that were due already not counted; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'};
  or {'INDEX', ms}: nothing was done, since the expiry index must first hold the tenant at or before that time.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = 'RESET', 1
--@include charge
if ARGV[2] ~= '' then
  indexed = math.min(indexed, ARGV[2])
end
if indexed > nowMs then
  return { 'INDEX', nowMs }
end
local due = redis.call('ZCOUNT', dueKey, '-inf', nowMs)
redis.call('HSET', KEYS[1], 'epoch', epoch + 1, 'count', 0, 'nextDue', math.huge, 'indexed', indexed, 'usage', charged)
tell('RESET', 'RESET', nil, nil, nil, nil, keyLabel)
publish()
return { 'OK', quota, count - due }
