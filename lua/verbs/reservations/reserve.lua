--[[
  Reserves resources. Handles all items of one request, in order; each succeeds or fails on its own.

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

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  if an item may wait: the instance that holds the call, and for how long it may do so: '<instance> <ms>'; else
           ''
  ARGV[5]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of reserveOne() in reservations/match.lua, or of answer() in
  waiting/answer.lua if it may wait, as a text (reservations/texts.lua). A shared call ends with what shares.tell()
  adds. Or, with nothing changed: {'REFUSED', message}, the reply of refuse() in limits/quota.lua, {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept}: the caller must first put the tenant into the expiry
  index at or before that time, then call again. Or a reply of once.before() in frame/idempotency.lua.
]]
local admission = require('frame/admission')
local batch = require('frame/batch')
local batches = require('frame/shares')
local cap = require('limits/cap')
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local itemForms = require('frame/items')
local matching = require('reservations/match')
local quota = require('limits/quota')
local reservationEvents = require('events/reservations')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')

return function(_, args)
  tenant.mayWait = args[4] ~= ''
  waitingQueue.prepare()
  local items = itemForms.readItems(5, itemForms.reserveItem)
  local refused = admission.admit('reserve', items)
  if refused then
    return refused
  end

  -- requests[item]: the request of an item that may wait (waiting/ask.lua).
  local requests = {}
  -- Set if an item that waits has neither a lease nor a session: a grant without an end could fall to a caller that
  -- died unnoticed.
  local endless
  -- A retry was charged at the first try, and the events of its failures were emitted then.
  local isFree = flags.isRepeated or flags.isContinued or flags.isDry
  local cost = (isFree or batches.shares) and 0 or itemForms.slotsOf(items)
  if tenant.mayWait then
    if not tenant.queue then
      tenant.openQueue()
    end
    local call, list, waiting = tenant.queue.readCall(args[4]), {}, 0
    for i, item in ipairs(items) do
      if item.wait ~= '' then
        endless = endless or item.ttlMs == '' and '[' .. i - 1 .. ']'
        requests[item] = {
          requester = item.requester, method = '', call = call, wait = tenant.queue.readWait(item.wait),
          items = { {
            resource = item.resource, ttlMs = tonumber(item.ttlMs), lease = item.ttlMs, type = item.type, token = item.token,
            count = tonumber(item.count), options = item.options,
          } },
        }
        list[#list + 1] = requests[item]
        waiting = waiting + itemForms.slotsOf({ item })
      end
    end
    if cost > 0 then
      cost = cost - waiting + tenant.queue.countNew(list)
    end
  end
  refused = idempotency.once and idempotency.once.before() or quota.charge('RESERVE', cost) or expiry.expire(items)
  if refused then
    return refused
  elseif endless then
    return { 'REFUSED', endless .. '.ttlSeconds is required where waitSeconds is more than 0' }
  end
  frame.beginDryRun()
  if batches.shares then
    batches.shares.divide(items)
  end

  local before = frame.stateBefore()
  local reply, made, outcomes, tooLarge, isUnfinished = { 'OK', quota.charged.quota }, {}, {}, nil, false
  local isRefused, checkCap
  if batches.shares then
    -- Returns true if the item's request is refused. Its items then have empty replies.
    isRefused = function(item)
      local share = item.share
      if item == share.items[1] then
        share.before = frame.stateBefore()
      end
      return batches.shares.isRefused(share, 'RESERVE', isFree and 0 or itemForms.slotsOf(share.items))
    end

    -- Refuses the request that an item was the last one of, if the cap is exceeded now.
    checkCap = function(item)
      local share = item.share
      local asked = item == share.items[#share.items] and cap.askedOverCap(share.before)
      if asked then
        batches.shares.takeBack(share, 'RESERVE', isFree and 0 or itemForms.slotsOf(share.items), function()
          return cap.refuseAtCap('RESERVE', asked)
        end)
        for i, one in ipairs(share.items) do
          reply[#reply - #share.items + i], made[one] = {}, nil
        end
      end
    end
  end

  local overBudget = batch.eachItem(items, function(item)
    if batches.shares and isRefused(item) then
      reply[#reply + 1] = {}
      return
    end
    local result, reservation
    if requests[item] then
      local outcome = tenant.queue.ask(requests[item])
      outcomes[item] = outcome
      tooLarge = tooLarge or outcome.tooLarge and '[' .. #reply - 2 .. '] ' .. outcome.tooLarge
      result, reservation = tenant.queue.firstReply(outcome)
    else
      result, reservation = matching.reserveOne(item)
    end
    reply[#reply + 1] = result
    made[item] = reservation
    isUnfinished = isUnfinished or result.isUnfinished
    reservationEvents.spendOnEvent(item, result[6])
    if batches.shares then
      checkCap(item)
    end
  end)
  if overBudget then
    return work.tooMuch(overBudget)
  elseif tooLarge then
    return { 'REFUSED', tooLarge }
  elseif isUnfinished then
    return frame.again(before)
  elseif tenant.foreign then
    -- Of a shared call, it concerns one request only, which will get it when each is sent on its own.
    return { batches.shares and 'REFUSED' or 'FORBIDDEN', tenant.foreign }
  end
  refused = not batches.shares and cap.overCap('RESERVE', before)
  if refused then
    return refused
  end
  if tenant.listenUntil > 0 then
    for i, item in ipairs(items) do
      if made[item] or not flags.isRepeated and reply[i + 2][1] then
        reservationEvents.emitReserved(item, reply[i + 2], made[item])
      end
    end
  end
  if tenant.queue then
    tenant.queue.runPostponed()
    for i, item in ipairs(items) do
      if outcomes[item] then
        reply[i + 2] = tenant.queue.answer(outcomes[item], requests[item])[1]
      end
    end
  end
  if flags.isDry then
    return texts.asTexts(reply, 3)
  end
  refused = cap.askForIndex(args[3])
  if refused then
    return refused
  end
  reply[2] = quota.charged.quota
  committing.finish(texts.asTexts(reply, 3), quota.charged.usage)
  if batches.shares then
    return batches.shares.tell(reply)
  end
  return idempotency.once and idempotency.once.keep(reply) or reply
end
