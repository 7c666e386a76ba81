--[[
  Releases reservations. Handles all items of one request, in order; each succeeds or fails on its own.

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
  KEYS[15]  answer
  KEYS[16]  answers
  KEYS[17]  taken
  KEYS[18]  takenAt

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the first item (items/unreserve.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of unreserveOne() in unreserveOne.lua, with what
  tellTaken() in tellTaken.lua adds, as a text (asTexts.lua). A shared call ends with what shares.tell() adds.
  Or, with nothing changed: {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'} or {'AGAIN'}. Or {'UNKNOWN'} if an earlier try ran and its reply was not kept. Or a reply of
  once.before() in once.lua.
]]
--@include once
--@include requestOnce
--@nest
--@include shares
--@include items
--@include items/unreserve
--@include batch
--@include unreserveOne
--@include tellTaken
--@include emitUnreserved
--@include eventWork
--@include asTexts
--@makeRare
--@include waiting/open
local items = readItems(3, unreserveItem)
local refused = requestOnce('reserve', 'UNRESERVE', (flags.isDry or shares) and 0 or #items, items, once, true)
if refused then
  return refused
end
--@include dryRun
if shares then
  shares.divide(items)
end

local reply = { 'OK', charged.quota }
local overBudget = eachItem(items, function(item)
  if shares and shares.isRefused(item.share, 'UNRESERVE', #item.share.items) then
    reply[#reply + 1] = {}
    return
  end
  local result, ended = unreserveOne(item)
  emitUnreserved(item, result, ended)
  reply[#reply + 1] = result
  spendOnEvent(item)
end)
if overBudget then
--@include tooMuch
  return tooMuch(overBudget)
end
tellTaken(items, reply, 3)
if flags.isDry then
  return asTexts(reply, 3)
end
reply[2] = charged.quota
finish(asTexts(reply, 3), charged.usage)
if tenant.takenAway then
  keepTaken()
end
if shares then
  shares.tell(reply)
end
return once and once.keep(reply) or remember(reply)
