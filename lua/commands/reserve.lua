--[[
  Reserves resources: all items of one request, in their order, each on its own (decisions, sections 4 and 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  ms: the time at which the expiry index now holds the tenant; '' where nothing was written there
  ARGV[3]  the first of five for each item:
           resource, requester, lease in ms ('' never ends), resource type ('' the default), release token (22 characters)

  Returns {'OK', quota, item, ...}, an item being what reserve() in plan.lua returns, as a text (asTexts.lua);
  or {'REFUSED', what is wrong with which item}, nothing being done;
  or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX', ms}: nothing was done, since the expiry index must first hold the
  tenant at or before that time.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = 'RESERVE', (#ARGV - 2) / 5
--@include charge
--@include codec
--@include slots
--@include definitions
--@include plan
--@include index
--@include outcomes
--@include cap
--@include asTexts
if expire(100) then
  commit()
  return { 'AGAIN' }
end

local names = {}
for i = 3, #ARGV, 5 do
  names[#names + 1] = ARGV[i]
end
readNames(names)

local mark, fenceBefore, countBefore = #journal, fence, count
local reply, made = { 'OK', quota }, {}
for i = 3, #ARGV, 5 do
  local item, isNew = reserve(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  reply[#reply + 1] = item
  made[#reply] = isNew
  if planned > MOST_PLANNED then
    pay()
    return tooMuch('[' .. (i - 3) / 5 .. ']')
  end
end
local refused = overCap(requestType, mark, fenceBefore, countBefore)
if refused then
  return refused
end

local unindexed = dueBeforeIndexed(ARGV[2])
if unindexed then
  return { 'INDEX', unindexed }
end
if listenUntil > 0 then
  for i = 3, #reply do
    local at = 5 * i - 12
    tellReserved(ARGV[at], ARGV[at + 1], ARGV[at + 3], reply[i], made[i])
  end
end
commit(charged)
return asTexts(reply, 3)
