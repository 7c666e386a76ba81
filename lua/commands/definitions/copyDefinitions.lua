--[[
  Copies some of the tenant's definitions here from the database, one piece of many, whatever is held meanwhile. What is
  above a resource in the tree must be copied before it, and be removed after it.

  KEYS[1]  tenant
  KEYS[2]  slots
  KEYS[3]  due
  KEYS[4]  pools
  KEYS[5]  definitions
  KEYS[6]  index
  KEYS[7]  copying

  ARGV[1]  the lease under which they are copied
  ARGV[2]  ms that it lasts from now on
  ARGV[3]  the first of four for each definition: name, capacity (0: there is none of that name), parent ('' none),
           blocks (each
           followed by '\n')

  Returns 'OK'; or 'LOST' if the lease is not held any more: nothing was done.
]]
--@include readDefinitions
--@include items
--@include items/copy
--@include define
--@include lines
--@include commit
if redis.call('GET', copyingKey) ~= ARGV[1] then
  return 'LOST'
end
local items, names = readItems(3, copiedItem), {}
for i, item in ipairs(items) do
  names[i] = item.name
end
readDefinitions(names)
for _, item in ipairs(items) do
  local capacity = tonumber(item.capacity)
  if capacity > 0 then
    define(item.name, capacity, item.parent, lines(item.blocks))
    adoptSlots(item.name)
  else
    redefine(item.name, false)
  end
end
redis.call('PEXPIRE', copyingKey, ARGV[2])
commit()
commitDefinitions('')
return 'OK'
