--[[
  Gives reservations another lease, from now on (decisions, section 6): all items of one request, in their order.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  ms: the time at which the expiry index now holds the tenant; '' where nothing was written there
  ARGV[3]  the first of four for each item: resource, requester, release token (22 characters; '' none that could be one),
           lease in ms

  Returns {'OK', quota, item, ...}, an item being {'RENEWED', expires at ms}, {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'} or
  {'INVALID_RELEASE_TOKEN'}, as a text (asTexts.lua); or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX', ms} as reserve.lua.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = 'RESERVE', (#ARGV - 2) / 4
--@include charge
--@include codec
--@include slots
--@include definitions
--@include plan
--@include unreserve
--@include index
--@include asTexts
if expire(100) then
  commit()
  return { 'AGAIN' }
end

local names = {}
for i = 3, #ARGV, 4 do
  names[#names + 1] = ARGV[i]
end
readNames(names)

local reply = { 'OK', quota }
for i = 3, #ARGV, 4 do
  local slot, held = reservationOf(ARGV[i], ARGV[i + 1])
  if not slot then
    reply[#reply + 1] = { held and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif at(slot).token ~= ARGV[i + 2] then
    reply[#reply + 1] = { 'INVALID_RELEASE_TOKEN' }
  else
    local expiresAt = nowMs + ARGV[i + 3]
    put(slot, with(at(slot), { expiresAt = expiresAt }))
    reply[#reply + 1] = { 'RENEWED', expiresAt }
  end
end

local unindexed = dueBeforeIndexed(ARGV[2])
if unindexed then
  return { 'INDEX', unindexed }
end
commit(charged)
return asTexts(reply, 3)
