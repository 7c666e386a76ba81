--[[
  Releases reservations: all items of one request, in their order, each on its own (decisions, sections 4 and 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  the first of three for each item: resource, requester, release token (22 characters; '' none that could be one)

  Returns {'OK', quota, item, ...}, an item being what unreserve() in unreserve.lua returns, as a text (asTexts.lua);
  or {'REFUSED', what is wrong with which item}, nothing being done;
  or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = 'UNRESERVE', (#ARGV - 1) / 3
--@include charge
--@include codec
--@include slots
--@include definitions
--@include plan
--@include unreserve
--@include outcomes
--@include asTexts
if expire(100) then
  commit()
  return { 'AGAIN' }
end

local names = {}
for i = 2, #ARGV, 3 do
  names[#names + 1] = ARGV[i]
end
readNames(names)

local reply = { 'OK', quota }
for i = 2, #ARGV, 3 do
  local item, ended = unreserve(ARGV[i], ARGV[i + 1], ARGV[i + 2])
  if planned > MOST_PLANNED then
    pay()
    return tooMuch('[' .. (i - 2) / 3 .. ']')
  end
  tellUnreserved(ARGV[i], ARGV[i + 1], item, ended)
  reply[#reply + 1] = item
end
commit(charged)
return asTexts(reply, 3)
