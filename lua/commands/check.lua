--[[
  Says who holds resources, without changing anything but what is due (decisions, section 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  the first of two for each item: resource, requester asked about ('' none)

  Returns {'OK', item, ...}, an item being
    {no slot is free: 1 or 0, its owner where it has one slot, else '', expires at ms or 0, held by the requester: 1 or 0}
  or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include codec
--@include slots
--@include definitions
--@include plan
--@include unreserve
--@include available
if expire(100) then
  commit()
  return { 'AGAIN' }
end
commit()

local names = {}
for i = 2, #ARGV, 2 do
  names[#names + 1] = ARGV[i]
end
readNames(names)

local reply = { 'OK' }
for i = 2, #ARGV, 2 do
  local name, requester = ARGV[i], ARGV[i + 1]
  local resource, slot = resolve(name)
  local own = resource and definition(resource)
  local only = (not own or slot or own.capacity == 1) and at(slot or resource or name)
  local mine = requester ~= '' and reservationOf(name, requester)
  local told = mine and at(mine) or only and only.token and only
  reply[#reply + 1] = {
    isAvailable(name) and 0 or 1, only and only.owner or '', told and told.expiresAt or 0, mine and 1 or 0,
  }
end
return reply
