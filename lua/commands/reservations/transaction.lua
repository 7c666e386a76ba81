--[[
  Reserves and releases in one step. Items are applied in order and see each other's effect.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  answer

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  how the request is sent (flags.lua)
  ARGV[3]  what the expiry index now holds for the tenant (index.lua), '' at first
  ARGV[4]  ALL_OR_NONE, AS_MANY_AS_POSSIBLE or FIRST
  ARGV[5]  the first of six for each item: RESERVE, then the five that reserve.lua takes; or UNRESERVE, then the
           three that unreserve.lua takes, and two that do not count

  Returns {'OK', quota, 'APPLIED' or 'ROLLED_BACK', item, ...}, an item being what reserve() in plan.lua or unreserve()
  in unreserve.lua returns, or {'NOT_AVAILABLE', 'ROLLED_BACK' or 'SKIPPED'}, as a text (asTexts.lua); or {'REFUSED',
  what is wrong with which item}, nothing being done; or {'UNKNOWN'} if it was carried out before, with a reply that was
  not kept; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX',
  ms, swept} as reserve.lua.
]]
--@include admit
--@include answers
--@include charge
--@include expiry
--@include unreserve
--@include index
--@include outcomes
--@include cap
--@include tooMuch
--@include asTexts
local refused = admit() or answerBefore() or charge('TRANSACTION', (#ARGV - 4) / 6) or expire()
if refused then
  return refused
end

local SUCCESS = { ACQUIRED = true, ALREADY_HAD = true, RELINQUISHED = true, NOT_RESERVED = true }
local method = ARGV[4]
local mark, fenceBefore, countBefore = #journal, fence, count

local reply, place = { 'OK', quota, 'APPLIED' }, 0
local succeeded, failed = 0, 0
local function carryOutAll()
  local names = {}
  for i = 5, #ARGV, 6 do
    names[#names + 1] = ARGV[i + 1]
  end
  readNames(names)
  for i = 5, #ARGV, 6 do
    place = (i - 5) / 6
    local item
    if method == 'FIRST' and succeeded > 0 then
      item = { 'NOT_AVAILABLE', 'SKIPPED' }
    elseif ARGV[i] == 'RESERVE' then
      item = reserve(ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5])
    else
      item = unreserve(ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
    end
    if SUCCESS[item[1]] then
      succeeded = succeeded + 1
    else
      failed = failed + 1
    end
    reply[#reply + 1] = item
    if listening then
      spend(2 + (#ARGV[i + 1] + #ARGV[i + 2]) / 35 + #(ARGV[i] == 'RESERVE' and item[6] or '') / 100)
    end
  end
end
-- To undo it all takes about a third of what it took to do.
if isOverBudget(carryOutAll, method == 'ALL_OR_NONE' and 0.75 or 1) then
  return tooMuch('requests[' .. place .. '].resource')
end

if method == 'ALL_OR_NONE' and failed > 0 or method == 'FIRST' and succeeded == 0 then
  undo(mark)
  fence = fenceBefore
  reply[3] = 'ROLLED_BACK'
  for i = 4, #reply do
    if SUCCESS[reply[i][1]] then
      reply[i] = { 'NOT_AVAILABLE', 'ROLLED_BACK' }
    end
  end
end

local toRefuse = overCap('TRANSACTION', mark, fenceBefore, countBefore) or askForIndex(ARGV[3])
if toRefuse then
  return toRefuse
end

local changes = {}
for i = 5, listening and #ARGV or 0, 6 do
  local item = reply[(i - 5) / 6 + 4]
  local status = item[1]
  changes[#changes + 1] = '{"resource":' .. quote(ARGV[i + 1]) .. ',"requester":' .. quote(ARGV[i + 2]) ..
    ',"requestType":"' .. ARGV[i] .. '","explanation":"' ..
    (status == 'INVALID_RELEASE_TOKEN' and 'DOESNT_OWN_RESERVATION' or status) .. '"' ..
    (status == 'ACQUIRED' and leaseOf(item) or '') .. '}'
end
emit('TRANSACTION_' .. reply[3], {
  requestType = 'TRANSACTION', explanation = reply[3], apiKeyLabel = keyLabel, method = method,
  changes = '[' .. table.concat(changes, ',') .. ']',
})

remember(asTexts(reply, 4))
commit(charged)
return reply
