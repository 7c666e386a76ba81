--[[
  Returns who holds resources. Changes nothing, except that it ends expired reservations.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the first item (items/check.lua)

  Returns {'OK', item, ...}, where an item is {1 if no slot is free, else 0; the owner if the resource has one slot,
  else ''; expiry in ms or 0; 1 if the requester holds it, else 0; number of tickets that wait
  for it}. Or {'REFUSED', message}, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}, {'AGAIN'}.
]]
--@include look
--@include items
--@include items/check
--@include batch
--@include reservations
--@include availability
--@include waiting/waiters
--@include waiting/open
local refused = look()
if refused then
  return refused
end

local reply = { 'OK' }
local overBudget = eachItem(readItems(2, checkItem), function(item)
  local name, requester = item.resource, item.requester
  local resource, slot = resolve(name)
  local own = resource and definition(resource)
  local only = (not own or slot or own.capacity == 1) and recordAt(slot or resource or name)
  local mine = requester ~= '' and reservationOf(name, requester)
  local shown = mine or only and reservationAt(slot or resource or name, only.owner)
  spend(1)
  reply[#reply + 1] = {
    hasFreeSlot(name) and 0 or 1, only and only.owner or '', shown and shown.expiresAt or 0, mine and 1 or 0,
    waitersOf(slot or resource or name),
  }
end)
if overBudget then
  return { 'REFUSED', overBudget .. TOO_MUCH_WORK }
end
return reply
