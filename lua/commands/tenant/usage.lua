--[[
  Says what of its limits the tenant uses.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  streams

  ARGV[1]  the credential (admit.lua)

  Returns {'OK', tier, writes in the window of a minute that is open, writes today (UTC), reservations, streams of
  events, definitions}; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include admit
--@include charge
--@include expiry
local refused = admit() or charge(nil, 0) or expireAndCommit()
if refused then
  return refused
end
return { 'OK', tier, written, writtenToday, count, redis.call('ZCOUNT', streamsKey, nowMs, '+inf'), definitions }
