--[[
  Stops waiting: ends every ticket of a requester whose request names a resource, and releases what was granted to such
  a ticket and not claimed yet.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  answer

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the first item (items/cancel.lua)

  Returns {'OK', quota, 'CANCELLED' or 'NOT_WAITING', ...}. Or, with nothing changed: {'REFUSED', message}, the reply of
  refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}. Or {'UNKNOWN'} if an earlier try ran
  and its reply was not kept.
]]
--@include requestOnce
--@include items
--@include items/cancel
--@include batch
--@include tooMuch
--@include waiting/open
local items = readItems(3, cancelItem)
local refused = requestOnce('WAIT', #items)
if refused then
  return refused
end
if tenant.queueText and not tenant.queue then
  tenant.openQueue()
end
local reply = { 'OK', charged.quota }
local overBudget = eachItem(items, function(item)
  spend(5)
  reply[#reply + 1] = tenant.queue and tenant.queue.cancel(item.requester, item.resource) and 'CANCELLED' or 'NOT_WAITING'
end)
if overBudget then
  return tooMuch(overBudget)
end
return finish(remember(reply), charged.usage)
