--[[
  Reserves resources: all items of one request, in their order, each on its own (decisions, sections 4 and 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  SHA-256 of the API key, hexadecimal
  ARGV[2]  ms: the time at which the expiry index now holds the tenant; '' where nothing was written there
  ARGV[3]  the first of five for each item:
           resource, requester, lease in ms ('' never ends), resource type ('' the default), release token (22 characters)

  Returns {'OK', item, ...}, an item being what reserve() in plan.lua returns;
  or {'NO_KEY'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX', ms}: nothing was done, since the expiry index must first hold the
  tenant at or before that time.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include codec
--@include slots
--@include definitions
--@include plan
--@include index
--@include outcomes
if expire(100) then
  commit()
  return { 'AGAIN' }
end

local names = {}
for i = 3, #ARGV, 5 do
  names[#names + 1] = ARGV[i]
end
readNames(names)

local reply = { 'OK' }
for i = 3, #ARGV, 5 do
  local item, isNew = reserve(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  tellReserved(ARGV[i], ARGV[i + 1], ARGV[i + 3], item, isNew)
  reply[#reply + 1] = item
end

local unindexed = dueBeforeIndexed(ARGV[2])
if unindexed then
  return { 'INDEX', unindexed }
end
commit()
return reply
