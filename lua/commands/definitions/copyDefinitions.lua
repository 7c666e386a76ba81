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
--@include redefine
if redis.call('GET', copyingKey) ~= ARGV[1] then
  return 'LOST'
end
local names = {}
for i = 3, #ARGV, 4 do
  names[#names + 1] = ARGV[i]
end
readDefinitions(names)
for i = 3, #ARGV, 4 do
  local name, capacity = ARGV[i], tonumber(ARGV[i + 1])
  if capacity > 0 then
    define(name, capacity, ARGV[i + 2], lines(ARGV[i + 3]))
    adoptSlots(name)
  else
    undefine(name)
  end
end
redis.call('PEXPIRE', copyingKey, ARGV[2])
commit()
commitDefinitions('')
return 'OK'
