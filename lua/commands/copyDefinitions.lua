--[[
  Copies some of the tenant's definitions here from the database (decisions, section 10), one bite of many, and whatever is held
  meanwhile. What is above a resource in the tree must be copied before it, and be removed after it.

  KEYS[1]  the tenant's hash

  ARGV[1]  the lease under which they are copied
  ARGV[2]  ms that it lasts from now on
  ARGV[3]  the first of four for each definition: name, capacity (0: there is none of that name), parent ('' none), blocks (each
           followed by '\n')

  Returns 'OK'; or 'LOST' where the lease is not held any more: nothing was done.
]]
--@include clock
local keyLabel = ''
--@include tenant
if redis.call('GET', base .. 'copying') ~= ARGV[1] then
  return 'LOST'
end
--@include publish
--@include codec
--@include slots
--@include definitions
--@include redefine
local names = {}
for i = 3, #ARGV, 4 do
  names[#names + 1] = ARGV[i]
end
readDefinitions(names)
for i = 3, #ARGV, 4 do
  local name, capacity = ARGV[i], tonumber(ARGV[i + 1])
  if capacity > 0 then
    define(name, capacity, ARGV[i + 2], lines(ARGV[i + 3]))
    adoptLoose(name)
  else
    loosen(name)
    undefine(name)
  end
end
redis.call('PEXPIRE', base .. 'copying', ARGV[2])
commit()
commitDefinitions('')
return 'OK'
