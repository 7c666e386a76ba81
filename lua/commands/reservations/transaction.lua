--[[
  Reserves and releases in one step. Items are applied in order, and each sees the effect of those before it.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  answer

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (index.lua); '' at first
  ARGV[4]  ALL_OR_NONE, AS_MANY_AS_POSSIBLE or FIRST
  ARGV[5]  the first item (items/transaction.lua)

  Returns {'OK', quota, 'APPLIED' or 'ROLLED_BACK', item, ...}. An item is a reply of reserveOne() in reserveOne.lua or
  unreserveOne() in unreserveOne.lua, or {'NOT_AVAILABLE', 'ROLLED_BACK' or 'SKIPPED'}, as a text (asTexts.lua). Or,
  with nothing changed: {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept} as in reserve.lua. Or {'UNKNOWN'} if an earlier try ran and its
  reply was not kept.
]]
--@include requestOnce
--@include items
--@include items/transaction
--@include batch
--@include reserveOne
--@include unreserveOne
--@include cap
--@include acquiredSlots
--@include eventWork
--@include index
--@include tooMuch
--@include asTexts
local items = readItems(5, transactionItem)
local refused = requestOnce('TRANSACTION', #items)
if refused then
  return refused
end

local SUCCESS = { ACQUIRED = true, ALREADY_HAD = true, RELINQUISHED = true, NOT_RESERVED = true }
local method = ARGV[4]
local before = stateBefore()
local reply = { 'OK', charged.quota, 'APPLIED' }
local succeeded, failed = 0, 0
-- Undoing all items takes about a third of the work of doing them, so that much of the budget is kept back.
local share = method == 'ALL_OR_NONE' and 0.75 or 1
local overBudget = eachItem(items, function(item)
  local result
  if method == 'FIRST' and succeeded > 0 then
    result = { 'NOT_AVAILABLE', 'SKIPPED' }
  elseif item.requestType == 'RESERVE' then
    result = reserveOne(item)
  else
    result = unreserveOne(item)
  end
  if SUCCESS[result[1]] then
    succeeded = succeeded + 1
  else
    failed = failed + 1
  end
  reply[#reply + 1] = result
  spendOnEvent(item, item.requestType == 'RESERVE' and result[6] or nil)
end, 'requests', share)
if overBudget then
  return tooMuch(overBudget)
end

if method == 'ALL_OR_NONE' and failed > 0 or method == 'FIRST' and succeeded == 0 then
  rollback(before)
  reply[3] = 'ROLLED_BACK'
  for i = 4, #reply do
    if SUCCESS[reply[i][1]] then
      reply[i] = { 'NOT_AVAILABLE', 'ROLLED_BACK' }
    end
  end
end
refused = overCap('TRANSACTION', before) or askForIndex(ARGV[3])
if refused then
  return refused
end

-- Returns the fields of `changes` that only ACQUIRED items have. Takes the item's reply.
local function leaseOf(result)
  return ',"expiresAt":' .. (result[4] > 0 and result[4] or 'null') .. ',"acquiredSlots":' ..
    (slotsAsJson(result[6]) or 'null') .. ',"fencingToken":' .. result[3]
end
local changes = {}
for i, item in ipairs(listening and items or {}) do
  local result = reply[i + 3]
  local status = result[1]
  changes[i] = '{"resource":' .. quote(item.resource) .. ',"requester":' .. quote(item.requester) ..
    ',"requestType":"' .. item.requestType .. '","explanation":"' ..
    (status == 'INVALID_RELEASE_TOKEN' and 'DOESNT_OWN_RESERVATION' or status) .. '"' ..
    (status == 'ACQUIRED' and leaseOf(result) or '') .. '}'
end
emit('TRANSACTION_' .. reply[3], {
  requestType = 'TRANSACTION', explanation = reply[3], apiKeyLabel = tenant.keyLabel, method = method,
  changes = '[' .. table.concat(changes, ',') .. ']',
})
return finish(remember(asTexts(reply, 4)), charged.usage)
