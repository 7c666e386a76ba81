--[[
  Reserves resources. Handles all items of one request, in order; each succeeds or fails on its own.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (index.lua); '' at first
  ARGV[4]  the first item (items/reserve.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of reserveOne() in reserveOne.lua, as a text (asTexts.lua). Or,
  with nothing changed: {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept}: the caller must first put the tenant into the expiry index at or
  before that time, then call again.
]]
--@include request
--@include items
--@include items/reserve
--@include batch
--@include reserveOne
--@include cap
--@include index
--@include emitReserved
--@include eventWork
--@include tooMuch
--@include asTexts
local items = readItems(4, reserveItem)
-- A retry was charged at the first try, and the events of its failures were emitted then.
local refused = request('RESERVE', flags.isRepeated and 0 or #items)
if refused then
  return refused
end

local before = stateBefore()
local reply, made = { 'OK', charged.quota }, {}
local overBudget = eachItem(items, function(item)
  local result, reservation = reserveOne(item)
  reply[#reply + 1] = result
  made[item] = reservation
  spendOnEvent(item, result[6])
end)
if overBudget then
  return tooMuch(overBudget)
end
refused = overCap('RESERVE', before) or askForIndex(ARGV[3])
if refused then
  return refused
end
if tenant.listenUntil > 0 then
  for i, item in ipairs(items) do
    if made[item] or not flags.isRepeated then
      emitReserved(item, reply[i + 2], made[item])
    end
  end
end
return finish(asTexts(reply, 3), charged.usage)
