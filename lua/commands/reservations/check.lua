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
  else ''; expiry in ms or 0; 1 if the requester holds it, else 0; number of tickets that wait for it; of a resource
  that is held SHARED, how many hold it: the owner is the only one of them that is known, else ''}. Or {'REFUSED',
  message}, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
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

-- Returns who holds the slot of a record; '' if several share it, or if the only one who does is not known.
local function holderOf(record, isShared, mine)
  if not isShared then
    return record.owner
  end
  return record.refCount == 1 and (mine and mine.owner or string.match(record.holders or '', '^[^\n]+')) or ''
end

local reply = { 'OK' }
local overBudget = eachItem(readItems(2, checkItem), function(item)
  local name, requester = item.resource, item.requester
  local resource, slot = resolve(name)
  local own = resource and definition(resource)
  local only = (not own or slot or own.capacity == 1) and recordAt(slot or resource or name)
  local mine = requester ~= '' and reservationOf(name, requester)
  local at = slot or resource or name
  local isShared = only and isSharedHold(at, only)
  local owner = only and holderOf(only, isShared, mine) or ''
  local shown = mine or owner ~= '' and reservationAt(at, owner)
  spend(1)
  reply[#reply + 1] = {
    hasFreeSlot(name) and 0 or 1, owner, shown and shown.expiresAt or 0, mine and 1 or 0, waitersOf(at),
    isShared and only.refCount or nil,
  }
end)
if overBudget then
  return { 'REFUSED', overBudget .. TOO_MUCH_WORK }
end
return reply
