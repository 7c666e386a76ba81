--[[
  Returns one page of the tenant's definitions, in byte order of their names. A page ends after a number of definitions
  or an amount of work.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  definitions
  KEYS[4]  index

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the last name of the page before; '' for the first page
  ARGV[3]  maximum number of definitions

  Returns {'OK', 1 if this is the last page, else 0, number of the tenant's definitions, item, ...}. An item is a text
  with a line for each of: name, capacity, path of its ancestors ('' none), and each blocker. Or {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include readDefinitions
--@include admit
--@include blockers
--@include paths
local refused = admit()
if refused then
  return refused
end
local MAX_BYTES, MAX_PAGE_WORK = 262144, 3500
local limit = tonumber(ARGV[3])
local names = redis.call('ZRANGE', indexKey, '(n' .. ARGV[2], '(o', 'BYLEX', 'LIMIT', 0, limit)
for i, member in ipairs(names) do
  names[i] = string.sub(member, 2)
end
readDefinitions(names)
local reply, bytes = { 'OK', #names < limit and 1 or 0, tenant.definitions }, 0
for i, name in ipairs(names) do
  local one = definition(name)
  local path = pathOf(name)
  local parts = { name, one.capacity, string.sub(path, 1, math.max(0, #path - #name - 1)), unpack(blockersOf(name)) }
  local item = table.concat(parts, '\n')
  bytes = bytes + #item
  spend(4 + #item / 100)
  reply[#reply + 1] = item
  if (bytes > MAX_BYTES or work > MAX_PAGE_WORK) and i < #names then
    reply[2] = 0
    break
  end
end
return reply
