--[[
  One page of the tenant's definitions, in the order of their names' bytes (interface, "Endpoints"; decisions, section 5).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  the last name of the page before; '' for the first page
  ARGV[3]  how many at most

  Returns {'OK', item, ...}, an item being {name, capacity, parent ('' none), how many of its slots are held, block, ...};
  or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include codec
--@include slots
--@include definitions
if expire(100) then
  commit()
  return { 'AGAIN' }
end
commit()

local names = redis.call(
  'ZRANGE', namesKey, ARGV[2] == '' and '-' or '(' .. ARGV[2], '+', 'BYLEX', 'LIMIT', 0, ARGV[3]
)
readNames(names)
local reply = { 'OK' }
for i, name in ipairs(names) do
  local one = definition(name)
  local held = one.pooled and heldOf(name) or at(name) and 1 or 0
  reply[i + 1] = { name, one.capacity, one.parent, held, unpack(one.blocks) }
end
return reply
