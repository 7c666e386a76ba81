local admission = require('frame/admission')
local charged = require('frame/charged')
local committing = require('frame/commit')
local conditionEvents = require('events/conditions')
local events = require('events/events')
local flags = require('frame/call').flags
local itemForms = require('frame/items')
local matching = require('reservations/match')
local releasing = require('reservations/release')
local reservationEvents = require('events/reservations')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ transaction (ARGV[1] credential, ARGV[2] flags)
  Reserves and releases in one step. Items are applied in order, and each sees the effect of those before it.

  ARGV[3]  ALL_OR_NONE, AS_MANY_AS_POSSIBLE or FIRST
  ARGV[4]  if it may wait: waitMs, priority and claimMs, with spaces between; else ''
  ARGV[5]  the first item (frame/items.lua)

  Returns {'OK', quota, 'APPLIED', 'ROLLED_BACK' or 'WAITING', item, ...}. An item is a reply of reserveOne() in
  reservations/match.lua or unreserveOne() in reservations/release.lua, with what tellTaken() in
  reservations/release.lua adds, or {'NOT_AVAILABLE', 'ROLLED_BACK' or 'SKIPPED'}, as a text (reservations/texts.lua).
]]
local SUCCESS = { ACQUIRED = true, ALREADY_HAD = true, RELINQUISHED = true, NOT_RESERVED = true }

-- Fields of the request, besides those of frame/charged.lua:
--   method             ARGV[3]
--   waiting            if it may wait, what the queue takes (waiting/ask.lua); outcome: what the queue returned for it
--   succeeded, failed  numbers of items
--   collected          nil; or the entries that all items took: what is kept for waiting requests is judged for the
--                      transaction as a whole
local function prepare(request)
  local args = request.args
  request.method = args[3]
  request.waiting = itemForms.prepareAll(request.items, request.method, args[4])
end

local function cost(items)
  return (flags.isContinued or flags.isDry) and 0 or itemForms.countSlots(items)
end

local function ask(request)
  local outcome = tenant.queue.ask(request.waiting)
  request.outcome, request.isUnfinished = outcome, outcome.reply and outcome.reply.isUnfinished
  for i, one in pairs(outcome.done or {}) do
    -- Of a FIRST, items that were tried in vain have none.
    request.items[i].resource = one[3] or request.items[i].resource
  end
end

local function reserve(item, request)
  local collected = request.collected
  local from = collected and #collected + 1
  local result = matching.reserveOne(item, collected)
  for i = from or 1, collected and #collected or 0 do
    collected[i].place = #request.reply + 1
  end
  if result.isUnfinished then
    request.isUnfinished = true
  end
  return result
end

-- Returns the result of an item after the one that FIRST took.
local function skip(item)
  if tenant.sessions and item.sessionId then
    -- A session of another requester refuses the request, also here (reservations/match.lua).
    tenant.sessions.of(item.sessionId, item.requester)
  end
  return { 'NOT_AVAILABLE', 'SKIPPED' }
end

local function carryOutItem(item, request)
  local result
  if request.method == 'FIRST' and request.succeeded > 0 then
    result = skip(item)
  elseif item.requestType == 'RESERVE' then
    result = reserve(item, request)
  else
    result = releasing.unreserveOne(item)
  end
  local counter = SUCCESS[result[1]] and 'succeeded' or 'failed'
  request[counter] = request[counter] + 1
  request.reply[#request.reply + 1] = result
  reservationEvents.spendOnEvent(item, item.requestType == 'RESERVE' and result[6] or nil)
end

-- Carries out all items. Returns the reply that refuses the request, nil none.
local function carryOutAll(request)
  request.succeeded, request.failed = 0, 0
  -- Some of the budget is kept back for undoing all items.
  local part = request.method == 'ALL_OR_NONE' and 0.9 or 1
  if not request.waiting then
    return charged.eachItem(request, carryOutItem, part)
  elseif work.isOverBudget(ask, part, request) then
    return work.tooMuch('requests')
  elseif request.outcome.tooLarge then
    return { 'REFUSED', 'requests ' .. request.outcome.tooLarge }
  end
end

-- Undoes all items, of which one failed.
local function rollBack(request)
  local reply = request.reply
  committing.rollBack(request.before)
  if tenant.queue then
    tenant.queue.dropClaims(0)
  end
  reply[3] = 'ROLLED_BACK'
  for i = 4, #reply do
    if SUCCESS[reply[i][1]] then
      reply[i] = { 'NOT_AVAILABLE', 'ROLLED_BACK' }
    end
  end
end

local function isRolledBack(request)
  local method = request.method
  return method == 'ALL_OR_NONE' and request.failed > 0 or
    method == 'FIRST' and request.succeeded == 0 and not request.waiting
end

local function carryOut(request)
  local journal = request.before.journal
  request.reply[3] = 'APPLIED'
  request.collected = (tenant.queueText or tenant.queue) and request.method == 'ALL_OR_NONE' and {} or nil
  tenant.requestMark = not request.waiting and journal or nil
  local refused = carryOutAll(request)
  if refused or request.isUnfinished or tenant.foreign then
    return refused
  end
  local kept = request.collected and tenant.queue and request.failed == 0 and
    tenant.queue.refusedOf(request.collected, journal)
  if kept then
    rollBack(request)
    request.reply[kept.place] = tenant.queue.keptReply()
  elseif isRolledBack(request) then
    rollBack(request)
  end
  tenant.requestMark = nil
  return refused
end

-- Returns an item's part of the transaction's event, as JSON.
local function changeOf(item, result)
  local status = result[1]
  return '{"resource":' .. events.quote(item.resource) .. ',"requester":' .. events.quote(item.requester) ..
    ',"requestType":"' .. item.requestType .. '","explanation":"' ..
    (status == 'INVALID_RELEASE_TOKEN' and 'DOESNT_OWN_RESERVATION' or status) .. '"' ..
    (status == 'RELINQUISHED' and ',"actor":' .. events.quote(admission.actorName(item.requester)) or '') ..
    (status == 'ACQUIRED' and reservationEvents.leaseAsJson(result, item.options and item.options.note) or '') .. '}'
end

-- Emits the transaction's event, before those that were emitted after the first `after` ones. Returns the number of the
-- events up to this one.
local function emit(request, after)
  local changes, status, person = {}, request.reply[3], events.personAmong(request.items)
  local type = 'TRANSACTION_' .. status
  if not events.isWanted(type, person) then
    return after
  end
  for i, item in ipairs(request.items) do
    changes[i] = changeOf(item, request.reply[i + 3])
  end
  events.emit(type, {
    requestType = 'TRANSACTION', explanation = status, apiKeyLabel = tenant.keyLabel, method = request.method,
    changes = '[' .. table.concat(changes, ',') .. ']', person = person,
  })
  events.move(#events.listed, after + 1)
  return after + 1
end

-- Emits the events of the conditions that the items have changed, before those that were emitted after the first
-- `after` ones.
local function emitConditions(after)
  local from = #events.listed
  conditionEvents.emit()
  for i = from + 1, #events.listed do
    after = after + 1
    events.move(i, after)
  end
end

-- Tells what the queue has decided.
local function answer(request)
  local reply, outcome = request.reply, request.outcome
  local status = outcome.ticket and outcome.ticket.status
  reply[3] = status and status ~= 'granted' and status ~= 'ended' and 'WAITING' or
    outcome.reply and 'ROLLED_BACK' or 'APPLIED'
  for i, result in ipairs(tenant.queue.answer(outcome, request.waiting)) do
    reply[i + 3] = result
  end
end

local function complete(request)
  local listed, outcome = #events.listed, request.outcome
  if tenant.queue then
    tenant.queue.runPostponed()
  end
  if outcome then
    answer(request)
  end
  releasing.tellTaken(request.items, request.reply, 4)
  -- A transaction that waits, or is claimed, has events of its ticket. The slots that it released are granted to those
  -- who wait: its event comes before theirs.
  if not flags.isDry and not (outcome and (outcome.ticket or outcome.claimed)) then
    emitConditions(emit(request, listed))
  end
end

verbs.transaction = charged.verb({
  right = 'reserve', requestType = 'TRANSACTION', isRemembered = true,
  firstItem = 5, readItem = itemForms.transactionItem, place = 'requests', firstResult = 4, makesDue = true,
  canWait = true, prepare = prepare, cost = cost, fault = itemForms.whyEndless, carryOut = carryOut,
  complete = complete, written = releasing.keepTaken,
})

return verbs
