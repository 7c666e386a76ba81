--[[
  Returns whether resources have a free slot.

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
  ARGV[2]  the reads to charge (sharedReads.lua)
  ARGV[3]  the first resource

  Returns {'OK', quota (reads.lua) and work (work.lua), item, ...}, where an item is 1 if a slot is free, else 0; '' if
  its request is refused. Which ones are refused is the last element if requests share the call (tellMisfits() in
  sharedReads.lua). Or {'REFUSED', message} if requests share the call and take too much work together, which charges
  nothing; the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include read
--@include sharedReads
--@include availability
--@include budget
-- Makes what few calls need.
local function openRare()
--@include endDue
--@include refuse
--@include waiting/open
  return { endDue = endDue, refuse = refuse }
end

local refused = read('definitions', openRare, chargeSharers)
if refused then
  return refused
end
local reply = { 'OK', '' }
-- A request that shares the call with nobody is always answered.
local overBudget = isOverBudget(function()
  for i = 3, #ARGV do
    reply[i] = isMisfit[i - 2] and '' or hasFreeSlot(resolve(ARGV[i])) and 1 or 0
  end
end, not isSharedCall and math.huge)
if overBudget then
  -- The instance sends each of them alone.
  refundReads()
  return { 'REFUSED', '[' .. #reply - 2 .. '].resource' .. TOO_MUCH_WORK }
end
reply[2] = readsQuota .. ' ' .. math.floor(work)
return tellMisfits(reply, openRare)
