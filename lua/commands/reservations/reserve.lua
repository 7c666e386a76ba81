--[[
  Reserves resources: all items of one request, in their order, each on its own.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  how the request is sent (flags.lua)
  ARGV[3]  what the expiry index now holds for the tenant (index.lua), '' at first
  ARGV[4]  the first of five for each item:
           resource, requester, lease in ms ('' never ends), resource type ('' the default), release token (22
           characters)

  Returns {'OK', quota, item, ...}, an item being what reserve() in plan.lua returns, as a text (asTexts.lua); or
  {'REFUSED', what is wrong with which item}, nothing being done; or what refuse() in refuse.lua returns; or {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX', ms, swept}: nothing was done, since the expiry index must first
  hold the tenant at or before that time.
]]
--@include admit
--@include charge
--@include expiry
--@include plan
--@include index
--@include outcomes
--@include cap
--@include tooMuch
--@include asTexts
-- One that is repeated was charged the first time, and its failures were emitted then.
local refused = admit() or charge('RESERVE', isRepeated and 0 or (#ARGV - 3) / 5) or expire()
if refused then
  return refused
end

local mark, fenceBefore, countBefore = #journal, fence, count
local reply, made = { 'OK', quota }, {}
local place = 0
local function reserveAll()
  local names = {}
  for i = 4, #ARGV, 5 do
    names[#names + 1] = ARGV[i]
  end
  readNames(names)
  for i = 4, #ARGV, 5 do
    place = (i - 4) / 5
    local item, isNew = reserve(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
    reply[#reply + 1] = item
    made[#reply] = isNew
    if listening then
      spend(2 + (#ARGV[i] + #ARGV[i + 1]) / 35 + #(item[6] or '') / 100)
    end
  end
end
if isOverBudget(reserveAll) then
  return tooMuch('[' .. place .. '].resource')
end
local toRefuse = overCap('RESERVE', mark, fenceBefore, countBefore) or askForIndex(ARGV[3])
if toRefuse then
  return toRefuse
end
for i = 3, listenUntil > 0 and #reply or 0 do
  local at = 5 * i - 11
  if made[i] or not isRepeated then
    emitReserved(ARGV[at], ARGV[at + 1], ARGV[at + 3], reply[i], made[i])
  end
end
commit(charged)
return asTexts(reply, 3)
