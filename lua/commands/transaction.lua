--[[
  Reserves and releases in one step (decisions, section 6, "Transaction methods"). Items are applied in order and see each
  other's effect.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  ms: the time at which the expiry index now holds the tenant; '' where nothing was written there
  ARGV[3]  ALL_OR_NONE, AS_MANY_AS_POSSIBLE or FIRST
  ARGV[4]  the first of six for each item: RESERVE, then the five that reserve.lua takes; or UNRESERVE, then the
           three that unreserve.lua takes, and two that do not count

  Returns {'OK', quota, 'APPLIED' or 'ROLLED_BACK', item, ...}, an item being what reserve() in plan.lua or unreserve() in unreserve.lua
  returns, or {'NOT_AVAILABLE', 'ROLLED_BACK' or 'SKIPPED'}, as a text (asTexts.lua);
  or {'REFUSED', what is wrong with which item}, nothing being done;
  or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX', ms} as reserve.lua.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = 'TRANSACTION', (#ARGV - 3) / 6
--@include charge
--@include codec
--@include slots
--@include definitions
--@include plan
--@include unreserve
--@include index
--@include cap
--@include asTexts
if expire(100) then
  commit()
  return { 'AGAIN' }
end

local SUCCESS = { ACQUIRED = true, ALREADY_HAD = true, RELINQUISHED = true, NOT_RESERVED = true }
local method = ARGV[3]
local mark, fenceBefore, countBefore = #journal, fence, count

local names = {}
for i = 4, #ARGV, 6 do
  names[#names + 1] = ARGV[i + 1]
end
readNames(names)

local reply = { 'OK', quota, 'APPLIED' }
local succeeded, failed = 0, 0
for i = 4, #ARGV, 6 do
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
  if planned > MOST_PLANNED then
    pay()
    return tooMuch('requests[' .. (i - 4) / 6 .. ']')
  end
  reply[#reply + 1] = item
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

local refused = overCap(requestType, mark, fenceBefore, countBefore)
if refused then
  return refused
end

if listenUntil > 0 then
  local changes = {}
  for i = 4, #ARGV, 6 do
    local status = reply[(i - 4) / 6 + 4][1]
    changes[#changes + 1] = '{"resource":' .. quote(ARGV[i + 1]) .. ',"requester":' .. quote(ARGV[i + 2]) ..
      ',"requestType":"' .. ARGV[i] .. '","explanation":"' ..
      (status == 'INVALID_RELEASE_TOKEN' and 'DOESNT_OWN_RESERVATION' or status) .. '"}'
  end
  tell('TRANSACTION_' .. reply[3], 'TRANSACTION', nil, nil, reply[3], nil, keyLabel, method, '[' .. table.concat(changes, ',') .. ']')
end

local unindexed = dueBeforeIndexed(ARGV[2])
if unindexed then
  return { 'INDEX', unindexed }
end
commit(charged)
return asTexts(reply, 4)
