--[[
  Returns whether a resource has a free slot.

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
  KEYS[15]  readsFree
  KEYS[16]  readsStarter
  KEYS[17]  readsPro
  KEYS[18]  readsEnterprise

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  number of reads to charge (reads.lua)
  ARGV[3]  resource

  Returns {'OK', quota (reads.lua) and work (work.lua), 1 if a slot is free, else 0}; or the reply of refuse() in refuse.lua, {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include read
--@include availability
--@include work
-- Makes what few calls need.
local function openRare()
--@include endDue
--@include refuse
--@include waiting/open
  return { endDue = endDue, refuse = refuse }
end

local refused = read('definitions', tonumber(ARGV[2]), openRare)
if refused then
  return refused
end
local isFree = hasFreeSlot(resolve(ARGV[3])) and 1 or 0
return { 'OK', readsQuota .. ' ' .. math.floor(work), isFree }
