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
  ARGV[3]  cursor returned by the last piece, whose last item is the first item now; '' at first
  ARGV[4]  the first item (items/cancel.lua)

  Returns {'OK', quota, cursor, 'CANCELLED' or 'NOT_WAITING', ...}, with a status for each item that it looked at: a
  script does a piece of work. A cursor other than '': the last of these has more tickets to look at. Or, with nothing
  changed:
  {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}. Or
  {'UNKNOWN'} if an earlier try ran and its reply was not kept.
]]
--@include requestOnce
--@include items
--@include items/cancel
--@include batch
--@include tooMuch
--@include waiting/open
local items = readItems(4, cancelItem)
local refused = requestOnce('WAIT', flags.isContinued and 0 or #items)
if refused then
  return refused
end
if tenant.queue and not queue then
  openQueue()
end
local MAX_PIECE_WORK = 3000
local reply, cursor = { 'OK', charged.quota, '' }, ARGV[3]
local overBudget = eachItem(items, function(item)
  if #reply > 3 and (reply[3] ~= '' or work > MAX_PIECE_WORK) then
    return
  end
  spend(5)
  local isFound = false
  if queue then
    isFound, reply[3] = queue.cancel(item.requester, item.resource, cursor)
  end
  cursor = ''
  reply[#reply + 1] = isFound and 'CANCELLED' or 'NOT_WAITING'
end)
if overBudget then
  return tooMuch(overBudget)
end
return finish(remember(reply), charged.usage)
