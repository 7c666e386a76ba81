--[[
  Reserves and releases in one step. Items are applied in order, and each sees the effect of those before it.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history
  KEYS[15]  answer
  KEYS[16]  answers
  KEYS[17]  taken
  KEYS[18]  takenAt

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  ALL_OR_NONE, AS_MANY_AS_POSSIBLE or FIRST
  ARGV[5]  if the transaction may wait: the instance that holds the call, and for how long: '<instance> <ms>'; else ''
  ARGV[6]  if it may wait: waitMs, priority and claimMs, with spaces between; else ''
  ARGV[7]  the first item (frame/items.lua)

  Returns {'OK', quota, 'APPLIED', 'ROLLED_BACK' or 'WAITING', item, ...}. An item is a reply of reserveOne() in
  reservations/match.lua or unreserveOne() in reservations/unreserve.lua, with what tellTaken() in
  reservations/unreserve.lua adds, or {'NOT_AVAILABLE', 'ROLLED_BACK' or 'SKIPPED'}, as a text (reservations/texts.lua).
  Or, with nothing changed: {'REFUSED', message}, the reply of refuse() in limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept} as in verbs/reservations/reserve.lua. Or {'UNKNOWN'} if an earlier
  try ran and its reply was not kept. Or a reply of once.before() in frame/idempotency.lua.
]]
local admission = require('frame/admission')
local answers = require('frame/answers')
local batch = require('frame/batch')
local cap = require('limits/cap')
local committing = require('frame/commit')
local events = require('events/events')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local itemForms = require('frame/items')
local matching = require('reservations/match')
local quota = require('limits/quota')
local reservationEvents = require('events/reservations')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local unreserving = require('reservations/unreserve')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')

return function(_, args)
  tenant.mayWait = args[5] ~= ''
  waitingQueue.prepare()
  local items = itemForms.readItems(7, itemForms.transactionItem)
  local method = args[4]
  local refused = admission.admit('reserve', items, 'requests')
  if refused then
    return refused
  end

  -- The request, if it may wait (waiting/ask.lua).
  local request
  -- Set if it may wait, and an item has neither a lease nor a session (verbs/reservations/reserve.lua).
  local endless
  local cost = (flags.isContinued or flags.isDry) and 0 or itemForms.slotsOf(items)
  if tenant.mayWait then
    if not tenant.queue then
      tenant.openQueue()
    end
    request = {
      requester = items[1].requester, method = method, items = {}, call = tenant.queue.readCall(args[5]),
      wait = tenant.queue.readWait(args[6]),
    }
    for i, item in ipairs(items) do
      endless = endless or item.ttlMs == '' and 'requests[' .. i - 1 .. ']'
      request.items[i] = {
        resource = item.resource, ttlMs = tonumber(item.ttlMs), lease = item.ttlMs, type = item.type, token = item.token,
        count = tonumber(item.count), options = item.options,
      }
    end
    if cost > 0 then
      cost = tenant.queue.countNew({ request })
    end
  end
  refused = frame.requestOnce('reserve', 'TRANSACTION', cost, items, idempotency.once)
  if refused then
    return refused
  elseif endless then
    return { 'REFUSED', endless .. '.ttlSeconds is required where waitSeconds is more than 0' }
  end
  frame.beginDryRun()

  local SUCCESS = { ACQUIRED = true, ALREADY_HAD = true, RELINQUISHED = true, NOT_RESERVED = true }
  local before = frame.stateBefore()
  local reply = { 'OK', quota.charged.quota, 'APPLIED' }
  local succeeded, failed = 0, 0
  -- Some of the budget is kept back for undoing all items.
  local share = method == 'ALL_OR_NONE' and 0.9 or 1
  -- The entries that all items took: what is kept for waiting requests is judged for the transaction as a whole.
  local collected = (tenant.queueText or tenant.queue) and method == 'ALL_OR_NONE' and {} or nil

  local isUnfinished = false
  local function carryOutItem(item)
    local result
    if method == 'FIRST' and succeeded > 0 then
      if tenant.sessions and string.byte(item.ttlMs) == 115 then
        -- A session of another requester refuses the request, also here (reservations/match.lua).
        tenant.sessions.of(string.sub(item.ttlMs, 2), item.requester)
      end
      result = { 'NOT_AVAILABLE', 'SKIPPED' }
    elseif item.requestType == 'RESERVE' then
      local from = collected and #collected
      result = matching.reserveOne(item, collected)
      for i = (from or 0) + 1, collected and #collected or 0 do
        collected[i].place = #reply + 1
      end
    else
      result = unreserving.unreserveOne(item)
    end
    isUnfinished = isUnfinished or result.isUnfinished
    if SUCCESS[result[1]] then
      succeeded = succeeded + 1
    else
      failed = failed + 1
    end
    reply[#reply + 1] = result
    reservationEvents.spendOnEvent(item, item.requestType == 'RESERVE' and result[6] or nil)
  end

  local outcome, overBudget
  tenant.requestMark = not request and before.journal or nil
  if request then
    overBudget = work.isOverBudget(function()
      outcome = tenant.queue.ask(request)
    end, share) and 'requests'
  else
    overBudget = batch.eachItem(items, carryOutItem, 'requests', share)
  end
  if overBudget then
    return work.tooMuch(overBudget)
  elseif outcome and outcome.tooLarge then
    return { 'REFUSED', 'requests ' .. outcome.tooLarge }
  elseif isUnfinished then
    return frame.again(before)
  elseif tenant.foreign then
    return { 'FORBIDDEN', tenant.foreign }
  end

  -- Undoes all items, of which one failed.
  local function rollbackAll()
    frame.rollback(before)
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
  local kept = collected and tenant.queue and failed == 0 and tenant.queue.keptEntries(collected, before.journal)
  if kept then
    frame.rollback(before)
    tenant.queue.dropClaims(0)
    if tenant.queue.mayTake(kept) then
      for i = #reply, 4, -1 do
        reply[i] = nil
      end
      succeeded = 0
      tenant.queue.excuse(function()
        overBudget = batch.eachItem(items, carryOutItem, 'requests', share)
      end)
      if overBudget then
        return work.tooMuch(overBudget)
      end
    else
      rollbackAll()
      reply[kept[1].place] = tenant.queue.keptReply()
    end
  elseif method == 'ALL_OR_NONE' and failed > 0 or method == 'FIRST' and succeeded == 0 and not request then
    rollbackAll()
  end
  tenant.requestMark = nil
  refused = cap.overCap('TRANSACTION', before)
  if refused then
    return refused
  end
  local toldBefore = #events.listed
  if tenant.queue then
    tenant.queue.runPostponed()
  end
  if request then
    reply[3] = outcome.ticket and outcome.ticket.status ~= 'granted' and outcome.ticket.status ~= 'ended' and 'WAITING' or
      outcome.reply and 'ROLLED_BACK' or 'APPLIED'
    for i, one in ipairs(tenant.queue.answer(outcome, request)) do
      reply[i + 3] = one
    end
  end
  unreserving.tellTaken(items, reply, 4)
  if flags.isDry then
    return texts.asTexts(reply, 4)
  end
  refused = cap.askForIndex(args[3])
  if refused then
    return refused
  end

  local changes = {}
  local isTold = events.isListening() and not (outcome and (outcome.ticket or outcome.claimed))
  for i, item in ipairs(isTold and items or {}) do
    local result = reply[i + 3]
    local status = result[1]
    changes[i] = '{"resource":' .. events.quote(item.resource) .. ',"requester":' .. events.quote(item.requester) ..
      ',"requestType":"' .. item.requestType .. '","explanation":"' ..
      (status == 'INVALID_RELEASE_TOKEN' and 'DOESNT_OWN_RESERVATION' or status) .. '"' ..
      (status == 'RELINQUISHED' and ',"actor":' .. events.quote(admission.actorName(item.requester)) or '') ..
      (status == 'ACQUIRED' and reservationEvents.leaseAsJson(result, item.options and item.options.note) or '') .. '}'
  end
  -- A transaction that waits, or is claimed, has events of its ticket.
  if not (outcome and (outcome.ticket or outcome.claimed)) then
    events.emit('TRANSACTION_' .. reply[3], {
      requestType = 'TRANSACTION', explanation = reply[3], apiKeyLabel = tenant.keyLabel, method = method,
      changes = '[' .. table.concat(changes, ',') .. ']',
    })
    -- finish() grants the slots that it released to those who wait. Its event comes before theirs.
    if events.isListening() then
      table.insert(events.listed, toldBefore + 1, table.remove(events.listed))
    end
  end
  committing.finish(texts.asTexts(reply, 4), quota.charged.usage)
  if tenant.takenAway then
    unreserving.keepTaken()
  end
  return idempotency.once and idempotency.once.keep(reply) or answers.remember(reply)
end
