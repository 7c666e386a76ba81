--[[
  Returns who holds resources. Changes nothing, except that it ends expired reservations.

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
  KEYS[15]  readsFree
  KEYS[16]  readsStarter
  KEYS[17]  readsPro
  KEYS[18]  readsEnterprise

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  the reads to charge (frame/reading.lua)
  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota (limits/quota.lua), item, ...}, where an item is a text of lines: 1 if no slot is free, else 0;
  the owner if the resource has one slot, else ''; expiry in ms or 0; 1 if the requester holds it, else 0; number of
  tickets that wait for it; 1 if a reserve by the requester, or by a new one if there is none, would succeed now, 0 if
  not, -1 if finding out would exceed the work budget; of a resource that is held SHARED, how many hold it, else '':
  the owner is the only one of them that is known, else ''; the note of its reservation, '' none; if such a reserve
  would not succeed, who is in the way (whyNot() in reservations/why.lua), '' if nobody is, or if finding out would
  exceed the work budget. The items of a refused request are ''; which ones are refused is the last element if requests
  share the call (tellMisfits() in frame/reading.lua). Or {'REFUSED', message}, which charges nothing if requests share
  the call; the reply of refuse() in limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
local availability = require('reservations/availability')
local batch = require('frame/batch')
local itemForms = require('frame/items')
local lines = require('waiting/lines')
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

return function()
  local refused = reading.read('read')
  if refused then
    return refused
  end

  -- Returns who holds a slot that is held SHARED; '' if several do, or if the only one who does is not known.
  local function soleHolderOf(slot, record, mine)
    local isMine = mine and mine.slot == shared.shareOf(slot, mine.owner)
    return record.refCount == 1 and (isMine and mine.owner or string.match(record.holders or '', '^[^\n]+')) or ''
  end

  -- toExplain: {result, kind, place}: items whose reserve would not succeed, and what is in the way
  -- (reservations/why.lua).
  local reply, toTry, toExplain = { 'OK', '' }, {}, {}

  -- Returns the fields of an item, and adds it to `toTry` if it takes a try to find out whether a reserve would
  -- succeed.
  local function lookAt(item)
    local name, requester = item.resource, item.requester
    local resource, slot = naming.resolve(name)
    local own = resource and registry.definition(resource)
    local at = slot or resource or name
    local only = (not own or slot or own.capacity == 1) and slotMap.recordAt(at)
    local mine = requester ~= '' and ownership.reservationOf(name, requester, resource, slot)
    local isFree = availability.hasFreeSlot(resource, slot)
    local isShared = only and not only.token and shared.isSharedHold(at, only)
    local owner = only and (isShared and soleHolderOf(at, only, mine) or only.owner) or ''
    local shown = mine or owner ~= '' and ownership.reservationAt(at, owner)
    work.spend(1)
    local result = {
      isFree and '0' or '1', owner, shown and ownership.endOf(shown) or '0', mine and '1' or '0', lines.waitersOf(at),
      resource and (isFree or only and only.owner == requester) and '1' or '0', isShared and only.refCount or '',
      shown and shown.note or '', '',
    }
    -- Its ancestors and blockers count, and what is kept for waiting requests.
    if own and (isFree or requester ~= '') or isFree and tenant.queueText then
      if mine and (at == name or mine == ownership.reservationOn(resource, slot, requester)) then
        -- Its requester has it: an EXCLUSIVE reserve of what is held SHARED would be refused.
        result[6] = shared.isShare(mine.slot) and '0' or '1'
      else
        result[6] = '-1'
        toTry[#toTry + 1] = { result, name, requester }
      end
    end
    if resource and not (isFree or mine and result[6] == '1') then
      toExplain[#toExplain + 1] = { result = result, place = slotMap.recordAt(slot or resource) and slot or resource }
    end
    return result
  end

  -- Finds out who is in the way. Returns true if there was no time for all of it.
  local function explainAll(before)
    local KINDS = { own = 'SLOTS', ancestor = 'ANCESTOR', blocker = 'BLOCKER', [''] = 'QUEUE' }
    for _, one in ipairs(toTry) do
      local kind = KINDS[one.role or '']
      if one[1][6] == '0' and one.line and kind and one[1][1] == '0' then
        toExplain[#toExplain + 1] = { result = one[1], kind = kind, place = one.line }
      end
    end
    local whyNot = #toExplain > 0 and reasons.whyNot
    for _, one in ipairs(toExplain) do
      if before + work.done > work.MAX_WORK then
        return true
      elseif one.result[6] == '0' then
        one.result[9] = whyNot(one.kind or 'SLOTS', one.place, { one.place })
      end
    end
  end

  local items, names, spent = itemForms.readItems(3, itemForms.checkItem), {}, 0
  for i, item in ipairs(items) do
    names[i] = item.resource
  end
  local overBudget = work.isOverBudget(function()
    batch.readMeanings(names)
    slotMap.readSlots(names)
    for i, item in ipairs(items) do
      reply[#reply + 1] = reading.isMisfit[i] and {} or lookAt(item)
    end
  end)
  if not overBudget and #toTry > 0 then
    local tryAll = availability.tryAll
    spent = work.done
    -- A request that shares the call with nobody is answered all the same, with -1 for what could not be found out.
    overBudget = work.isOverBudget(function()
      tryAll(toTry)
    end, 1 - spent / work.MAX_WORK) and reading.isSharedCall
  end
  if not overBudget then
    overBudget = explainAll(spent) and reading.isSharedCall
  end
  if overBudget then
    if reading.isSharedCall then
      -- The instance sends each of them alone.
      reading.refundReads()
    end
    return { 'REFUSED', '[' .. #reply - 2 .. '].resource' .. work.TOO_MUCH_WORK }
  end
  reply[2] = quota.readsQuota .. ' ' .. math.floor(spent + work.done)
  for i = 3, #reply do
    reply[i] = table.concat(reply[i], '\n')
  end
  return reading.tellMisfits(reply)
end
