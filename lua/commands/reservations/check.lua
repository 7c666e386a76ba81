--[[
  Says who holds resources, without changing anything but what is due.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the first of two for each item: resource, requester asked about ('' none)

  Returns {'OK', item, ...}, an item being
    {no slot is free: 1 or 0, its owner if it has one slot, else '', expires at ms or 0, held by the requester: 1 or 0}
  or {'REFUSED', what is wrong with which item}; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include admit
--@include expiry
--@include unreserve
--@include available
local refused = admit() or expireAndCommit()
if refused then
  return refused
end

local reply, place = { 'OK' }, 0
local function checkAll()
  local names = {}
  for i = 2, #ARGV, 2 do
    names[#names + 1] = ARGV[i]
  end
  readNames(names)
  for i = 2, #ARGV, 2 do
    place = (i - 2) / 2
    local name, requester = ARGV[i], ARGV[i + 1]
    local resource, slot = resolve(name)
    local own = resource and definition(resource)
    local only = (not own or slot or own.capacity == 1) and at(slot or resource or name)
    local mine = requester ~= '' and reservationOf(name, requester)
    local told = mine and at(mine) or only and only.token and only
    spend(1)
    reply[#reply + 1] = {
      isAvailable(name) and 0 or 1, only and only.owner or '', told and told.expiresAt or 0, mine and 1 or 0,
    }
  end
end
if isOverBudget(checkAll) then
  return { 'REFUSED', '[' .. place .. '].resource' .. TOO_MUCH_WORK }
end
return reply
