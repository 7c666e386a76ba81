--[[
  Gives reservations another lease, from now on: all items of one request, in their order.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  how the request is sent (flags.lua)
  ARGV[3]  what the expiry index now holds for the tenant (index.lua), '' at first
  ARGV[4]  the first of four for each item: resource, requester, release token (22 characters; '' none that could be
           one),
           lease in ms

  Returns {'OK', quota, item, ...}, an item being {'RENEWED', expires at ms}, {'NOT_RESERVED'},
  {'DOESNT_OWN_RESERVATION'} or {'INVALID_RELEASE_TOKEN'}, as a text (asTexts.lua); or {'REFUSED', what is wrong with
  which item}, nothing being done; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'},
  {'AGAIN'}; or {'INDEX', ms, swept} as reserve.lua.
]]
--@include admit
--@include charge
--@include expiry
--@include unreserve
--@include index
--@include outcomes
--@include tooMuch
--@include asTexts
-- One that is repeated was charged the first time. It renews once more, and its event tells the later end.
local refused = admit() or charge('RESERVE', isRepeated and 0 or (#ARGV - 3) / 4) or expire()
if refused then
  return refused
end

local reply, place = { 'OK', quota }, 0
local function renewAll()
  local names = {}
  for i = 4, #ARGV, 4 do
    names[#names + 1] = ARGV[i]
  end
  readNames(names)
  for i = 4, #ARGV, 4 do
    place = (i - 4) / 4
    local slot, held = reservationOf(ARGV[i], ARGV[i + 1])
    if not slot then
      reply[#reply + 1] = { held and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
    elseif at(slot).token ~= ARGV[i + 2] then
      reply[#reply + 1] = { 'INVALID_RELEASE_TOKEN' }
    else
      local expiresAt = nowMs + ARGV[i + 3]
      put(slot, with(at(slot), { expiresAt = expiresAt }))
      reply[#reply + 1] = { 'RENEWED', expiresAt }
      emitRenewed(at(slot))
      if listening then
        spend(2 + (#ARGV[i] + #ARGV[i + 1]) / 35 + #at(slot).shown / 100)
      end
    end
  end
end
if isOverBudget(renewAll) then
  return tooMuch('[' .. place .. '].resource')
end
local toIndex = askForIndex(ARGV[3])
if toIndex then
  return toIndex
end
commit(charged)
return asTexts(reply, 3)
