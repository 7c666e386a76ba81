local availability = require('reservations/availability')
local booked = require('bookings/booked')
local conditions = require('slots/conditions')
local fits = require('bookings/fits')
local itemForms = require('frame/items')
local queues = require('waiting/queues')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local quota = require('limits/quota')
local reading = require('frame/reading')
local reasons = require('reservations/why')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ check (ARGV[1] credential, ARGV[2] reads)
  Returns who holds resources. Changes nothing, except that it ends expired reservations.

  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}, where an item is a text of lines: 1 if no slot is free and ready, else 0; the
  owner if the resource has one slot, else ''; expiry in ms or 0; 1 if the requester holds it, else 0; number of
  tickets that wait for it; 1 if a reserve by the requester, or by a new one if there is none, would succeed now, 0 if
  not, -1 if finding out would exceed the work budget; of a resource that is held SHARED, how many hold it, else '':
  the owner is the only one of them that is known, else ''; the note of its reservation, '' none; if such a reserve
  would not succeed, who is in the way (whyNot() in reservations/why.lua), '' if nobody is, or if finding out would
  exceed the work budget; the condition of a single slot that is not ready, else ''; the reason of that, '' none; and
  from when on it is booked for others than the requester, in ms, '' never: of a pool of which the requester has no
  slot, the free slot where that is last.
  The items of a refused request are ''; which ones are refused is the last element of a batch (tellMisfits() in
  frame/reading.lua). Or a refusal (frame/admission.lua): if the requests of a batch take too much work together, it
  charges nothing.
]]
-- Places in the queues of a result. WOULD_SUCCEED is '1' or '0'; '-1' until it is found out.
local IS_HELD, WOULD_SUCCEED, WHY, CONDITION, BOOKED = 1, 6, 9, 10, 12
local KINDS = { own = 'SLOTS', ancestor = 'ANCESTOR', blocker = 'BLOCKER', booking = 'BOOKING', [''] = 'QUEUE' }

-- Returns true if a name means one slot: that of a pool, a resource with one, or one that is not registered.
local function isOneSlot(own, slot)
  return not own or slot or own.capacity == 1
end

-- Returns who holds a slot; '' if nobody does, or if several hold it SHARED, or if the only one who does is not known.
-- Takes its record, whether it is held SHARED, and the requester's reservation.
local function ownerOf(slot, record, isShared, mine)
  if not record then
    return ''
  elseif not isShared then
    return record.owner
  elseif record.refCount ~= 1 then
    return ''
  end
  local isMine = mine and mine.slot == shared.shareOf(slot, mine.owner)
  return isMine and mine.owner or string.match(record.holders or '', '^[^\n]+') or ''
end

-- Returns the queues of a result, as far as they are known at once. Takes the name of the slot or resource, its record
-- if it is one slot, the requester's reservation, and whether a slot is free.
local function resultOf(at, record, mine, isFree)
  local isShared = record and not record.token and shared.isSharedHold(at, record)
  local owner = ownerOf(at, record, isShared, mine)
  local shown = mine or owner ~= '' and ownership.reservationAt(at, owner)
  local endsAt, note = '0', ''
  if shown then
    endsAt, note = ownership.endOf(shown), shown.note or ''
  end
  return {
    isFree and '0' or '1', owner, endsAt, mine and '1' or '0', queues.waitersOf(at), '0',
    isShared and record.refCount or '', note, '', '', '', '',
  }
end

-- Returns true if a reserve needs more than a slot: ancestors, blockers, or that nothing is kept for waiting requests.
local function needsMore(own, isFree, requester)
  return own and (isFree or requester ~= '') or isFree and tenant.queueText
end

-- Returns true if the requester's reservation is the one that a reserve would be for.
local function isHad(mine, at, name, resource, slot)
  return mine and (at == name or mine == ownership.reservationOn(resource, slot, mine.owner))
end

-- Adds an item to `toExplain`, unless a slot is free, its requester has it, or the name is not valid. If it is one slot
-- that nobody holds, its condition is in the way.
local function explainLater(toExplain, result, mine, slot, resource)
  local isFine = result[IS_HELD] == '0' or mine and result[WOULD_SUCCEED] == '1'
  local name = slot or resource
  local isUnready = result[CONDITION] ~= '' and not slotMap.recordAt(name)
  if resource and not isFine and not isUnready then
    toExplain[#toExplain + 1] = { result = result, place = slotMap.recordAt(name) and name or resource }
  end
end

-- Adds the condition of one slot that is not ready, and its reason.
local function addCondition(result, own, resource, slot)
  if own and own.hasConditions and isOneSlot(own, slot) then
    local condition, reason = conditions.describe(resource, slot)
    result[CONDITION], result[CONDITION + 1] = condition == 'ready' and '' or condition, reason or ''
  end
end

-- Adds from when on a resource, or one slot of it, is booked. Takes the requester's reservation, nil none.
local function addBooked(result, resource, slot, requester, mine)
  if resource and booked.isBookable(resource) then
    local at = slot
    if mine and not slot then
      local _
      _, at = ownership.heldBy(mine)
    end
    local first = fits.freeUntil(resource, at, requester)
    result[BOOKED] = first and first < math.huge and string.format('%.0f', first) or ''
  end
end

-- Returns the queues of an item. Adds it to `toTry` if it takes a try to find out whether a reserve would succeed, and
-- to `toExplain` if it would not.
local function lookAt(item, toTry, toExplain)
  local name, requester = item.resource, item.requester
  local resource, slot = naming.resolve(name)
  local own = resource and registry.definition(resource)
  local at = slot or resource or name
  local record = isOneSlot(own, slot) and slotMap.recordAt(at)
  local mine = requester ~= '' and ownership.reservationOf(name, requester, resource, slot)
  local isFree = availability.hasFreeSlot(resource, slot)
  work.spend(1)
  local result = resultOf(at, record, mine, isFree)
  addCondition(result, own, resource, slot)
  addBooked(result, resource, slot, requester, mine)
  if not needsMore(own, isFree, requester) then
    local isOpen = isFree or record and record.owner == requester
    result[WOULD_SUCCEED] = resource and isOpen and '1' or '0'
  elseif isHad(mine, at, name, resource, slot) then
    -- Its requester has it: an EXCLUSIVE reserve of what is held SHARED would be refused.
    result[WOULD_SUCCEED] = shared.isShare(mine.slot) and '0' or '1'
  else
    result[WOULD_SUCCEED] = '-1'
    toTry[#toTry + 1] = { result, name, requester }
  end
  explainLater(toExplain, result, mine, slot, resource)
  return result
end

local function lookAtAll(items, reply, toTry, toExplain)
  local names = {}
  for i, item in ipairs(items) do
    names[i] = item.resource
  end
  naming.readMeanings(names)
  slotMap.readSlots(names)
  for i, item in ipairs(items) do
    reply[#reply + 1] = reading.isMisfit[i] and {} or lookAt(item, toTry, toExplain)
  end
end

-- Adds the items whose try did not succeed although a slot is free.
local function addTried(toTry, toExplain)
  for _, one in ipairs(toTry) do
    local result, kind = one[1], KINDS[one.role or '']
    if result[WOULD_SUCCEED] == '0' and one.queue and kind and result[IS_HELD] == '0' then
      toExplain[#toExplain + 1] = { result = result, kind = kind, place = one.queue }
    end
  end
end

-- Finds out who is in the way. Takes the work that the call did before. Returns true if there was no time for all.
local function explainAll(toExplain, before)
  for _, one in ipairs(toExplain) do
    if before + work.done > work.MAX_WORK then
      return true
    elseif one.result[WOULD_SUCCEED] == '0' then
      one.result[WHY] = reasons.whyNot(one.kind or 'SLOTS', one.place, { one.place })
    end
  end
end

-- Looks at all items. Returns the work that this took; nil if it exceeds the budget. A request of a batch
-- with nobody is answered even if there is no time for tries and explanations.
local function carryOut(items, reply)
  local toTry, toExplain, spent = {}, {}, 0
  if work.isOverBudget(lookAtAll, nil, items, reply, toTry, toExplain) then
    return nil
  end
  local isCut = false
  if #toTry > 0 then
    spent = work.done
    isCut = work.isOverBudget(availability.tryAll, 1 - spent / work.MAX_WORK, toTry)
  end
  if not (isCut and reading.isBatch) then
    addTried(toTry, toExplain)
    isCut = explainAll(toExplain, spent)
  end
  return not (isCut and reading.isBatch) and spent + work.done or nil
end

verbs.check = reading.verb('read', function()
  local reply = { 'OK', '' }
  local spent = carryOut(itemForms.readItems(3, itemForms.checkItem), reply)
  if not spent then
    return reading.tooMuch(#reply - 2)
  end
  reply[2] = quota.readsQuota .. ' ' .. math.floor(spent)
  for i = 3, #reply do
    reply[i] = table.concat(reply[i], '\n')
  end
  return reading.tellMisfits(reply)
end)

return verbs
