--[[
  Releases reservations: all items of one request, in their order, each on its own.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  answer

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  how the request is sent (flags.lua)
  ARGV[3]  the first of three for each item: resource, requester, release token (22 characters; '' none that could be
           one)

  Returns {'OK', quota, item, ...}, an item being what unreserve() in unreserve.lua returns, as a text (asTexts.lua);
  or {'REFUSED', what is wrong with which item}, nothing being done;
  or {'UNKNOWN'} if it was carried out before, with a reply that was not kept;
  or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include admit
--@include answers
--@include charge
--@include expiry
--@include unreserve
--@include outcomes
--@include tooMuch
--@include asTexts
local refused = admit() or answerBefore() or charge('UNRESERVE', (#ARGV - 2) / 3) or expire()
if refused then
  return refused
end

local reply, place = { 'OK', quota }, 0
local function unreserveAll()
  local names = {}
  for i = 3, #ARGV, 3 do
    names[#names + 1] = ARGV[i]
  end
  readNames(names)
  for i = 3, #ARGV, 3 do
    place = (i - 3) / 3
    local item, ended = unreserve(ARGV[i], ARGV[i + 1], ARGV[i + 2])
    emitUnreserved(ARGV[i], ARGV[i + 1], item, ended)
    reply[#reply + 1] = item
    if listening then
      spend(2 + (#ARGV[i] + #ARGV[i + 1]) / 35)
    end
  end
end
if isOverBudget(unreserveAll) then
  return tooMuch('[' .. place .. '].resource')
end
remember(asTexts(reply, 3))
commit(charged)
return reply
