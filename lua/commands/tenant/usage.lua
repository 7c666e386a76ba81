--[[
  Returns the tenant's usage of its limits.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history
  KEYS[15]  streams
  KEYS[16]  readsFree
  KEYS[17]  readsStarter
  KEYS[18]  readsPro
  KEYS[19]  readsEnterprise
  KEYS[20]  answers

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  number of reads to charge (reads.lua)

  Returns {'OK', quota (reads.lua), tier, writes in the current minute's window, writes today (UTC), number of
  reservations (of several slots: their slots; a session counts as one), of event streams, of definitions, of bytes that
  the tenant keeps}; or the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include read
--@include measureBytes
--@include quota
--@include slots

-- Makes what few calls need.
local function openRare()
--@include endDue
--@include refuse
--@include waiting/open
  return { endDue = endDue, refuse = refuse }
end

local refused = read('usage', openRare)
if refused then
  return refused
end
-- Cost 0 charges nothing, and computes the windows as of now.
charge(nil, 0)
local streams = redis.call('ZCOUNT', streamsKey, nowMs, '+inf')
local reservations = tenant.count + tenant.further + (tenant.sessions and tenant.sessions.count or 0)
return {
  'OK', readsQuota, tenant.tier, charged.thisMinute, charged.today, reservations, streams, tenant.definitions,
  bytesNow(),
}
