-- Which free slots are kept from a request (docs/specification.md#waiting-order).
local agenda = require('waiting/agenda')
local conditions = require('slots/conditions')
local exempt = require('waiting/exempt')
local fitting = require('waiting/fitting')
local lines = require('waiting/lines')
local pools = require('slots/pools')
local queues = require('waiting/queues')
local keptSlots = require('waiting/keptSlots')
local needs = require('waiting/needs')
local planning = require('reservations/plan')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local turns = require('waiting/turns')
local keeping = {}

-- Returns true if so many slots are free that none of them is kept.
local function isPlenty(free)
  return free >= turns.MAX_TURNS and (free >= planning.MAX_ENTRIES or queues.nthOf(agenda.LARGE_PREFIX, 1) == nil)
end

-- Returns the records and the conditions before a request's changes, of the slots that it has changed: slot -> record,
-- slot -> condition. `mark` is the journal's length before the request.
local function changedBy(mark)
  local records, conditionsOf = {}, {}
  for i = mark + 1, #slotMap.journal, 2 do
    local slot, before = slotMap.journal[i], slotMap.journal[i + 1]
    if slot.restore and slot.slot then
      conditionsOf[slot.slot] = conditionsOf[slot.slot] or before.condition
      if records[slot.slot] == nil then
        records[slot.slot] = slotMap.recordAt(slot.slot)
      end
    elseif not slot.restore and records[slot] == nil then
      records[slot] = before
    end
  end
  return records, conditionsOf
end

-- Returns 0 for a slot that is free in a condition that is wanted, else 1.
local function takenOf(record, condition, wanted)
  return not record and condition == wanted and 0 or 1
end

-- Returns true if a record is of a slot of a pool.
local function isOfPool(record, pool)
  return record and record.pool == pool
end

-- Returns true if a request's changes left fewer slots free in a line than there were: nothing is kept from a
-- transaction for what it releases itself. `mark` is the journal's length before the request.
local function isNetTaken(queue, mark)
  local name, wanted = lines.lineOf(queue)
  local own, taken = registry.definition(name), 0
  local pool = own and own.pooled and name
  local records, conditionsOf = changedBy(mark)
  for slot, before in pairs(records) do
    local now, condition = slotMap.recordAt(slot), lines.conditionOf(slot)
    local isOfLine = slot == name or pool and (
      isOfPool(now, pool) or isOfPool(before, pool) or conditionsOf[slot] and pools.slotNumber(slot) == pool
    )
    if isOfLine then
      taken = taken + takenOf(now, condition, wanted) - takenOf(before, conditionsOf[slot] or condition, wanted)
    end
  end
  return taken > 0
end

-- Returns true if the request has released a part in a SHARED hold that an entry joins: it may take that again.
local function isJoinedAgain(entry, mark)
  for i = mark + 1, entry.isShared and #slotMap.journal or 0, 2 do
    if slotMap.journal[i] == entry.at then
      return slotMap.journal[i + 1] and slotMap.recordAt(entry.at).refCount <= slotMap.journal[i + 1].refCount
    end
  end
  return false
end

-- Returns the tickets ahead for which what an entry took, or joined, in a queue is kept; nil if it is not.
local function keepersOf(name, entry, isNew, mark)
  if queues.isQueueEmpty(name) then
    return nil
  end
  local free = lines.freeAt(name)
  local keepers = not isPlenty(free) and
    turns.keepersOf(name, exempt.rank, free, needs.metBy(entry), entry.isForCleaning)
  if keepers and (isNew and isNetTaken(name, mark) or not isNew and not isJoinedAgain(entry, mark)) then
    return keepers
  end
end

-- Adds what an entry took, or joined, and what is kept for tickets ahead, to those that keptEntries() returns.
local function addKept(found, entry, queue, keepers, slot, isNew)
  found[#found + 1] = {
    keepers = keepers, queue = queue, isNew = isNew, owner = entry.owner, at = slot, requester = entry.requester,
    place = entry.place,
  }
end

-- Notes what an entry took, or joined, if it is kept in a queue for tickets ahead. Returns true if it is.
local function noteKept(found, entry, name, slot, isNew, mark)
  local keepers = keepersOf(name, entry, isNew, mark)
  if keepers then
    addKept(found, entry, name == entry.slotQueue and name or entry.queue, keepers, slot, isNew)
  end
  return keepers ~= nil
end

-- Returns true if an item before, which may have cleaned, took the ancestor or blocker of one that does not.
local function isTakenByItemBefore(entry, mark)
  return not (entry.isNew or entry.isShared or entry.isForCleaning) and
    (entry.role == 'ancestor' or entry.role == 'blocker') and isNetTaken(entry.queue, mark)
end

-- Notes what an entry took, or joined, that is kept for tickets ahead.
local function noteKeptOf(found, entry, mark)
  local queue, at = entry.queue, entry.at
  -- Tickets that name a slot are in the queue of its pool, too.
  if queues.isQueueEmpty(queue) then
    return
  end
  local isNew = entry.isNew or isTakenByItemBefore(entry, mark)
  if isNew or entry.role == 'blocker' or entry.isShared then
    local slotQueue = at ~= entry.resource and lines.queueFor(at, entry.condition)
    if not (slotQueue and noteKept(found, entry, slotQueue, at, isNew, mark)) then
      noteKept(found, entry, queue, at, isNew, mark)
    end
  end
  if entry.moreSlots then
    noteKept(found, entry, queue, entry.moreSlots[1], true, mark)
    for _, slot in ipairs(entry.moreSlots) do
      noteKept(found, entry, lines.queueFor(slot, entry.condition), slot, true, mark)
    end
  end
end

-- Returns the first entries, `limit` at most, that took, or joined, what is kept for tickets ahead. Fields:
--   keepers, queue    the tickets for which it is kept; the queue in which the request would wait for it
--   isNew, owner, at  of the hold; its slot
--   requester, place  who asked, in which item
local function keptEntries(entries, mark, limit)
  local found = {}
  for _, entry in ipairs(entries) do
    if entry.keptFor then
      addKept(found, entry, entry.queue, entry.keptFor, entry.at, entry.isNew)
    elseif not entry.term then
      noteKeptOf(found, entry, mark)
    end
    if found[limit] then
      break
    end
  end
  return found
end

-- Runs a function in the state of the slots before a mark of the journal.
local function asBefore(mark, run)
  local journal, redo, after = slotMap.journal, {}, {}
  for i = #journal - 1, mark + 1, -2 do
    local slot = journal[i]
    local now = after[slot]
    if now == nil and slot.restore then
      now = slot.valueOf(slot)
    elseif now == nil then
      now = slotMap.records[slot]
    end
    redo[#redo + 1] = { slot = slot, record = now, change = journal[-i - 1] }
    after[slot] = journal[i + 1]
  end
  slotMap.undo(mark)
  run()
  for i = #redo, 1, -1 do
    if redo[i].slot.restore then
      redo[i].slot.restore(redo[i].slot, redo[i].record)
    else
      slotMap.setRecord(redo[i].slot, redo[i].record)
    end
    -- It is the same state as before.
    journal[-#journal] = redo[i].change
  end
end

-- Returns the first of some entries of keptEntries() that its requester may not take all the same; nil if there is
-- none. Who holds what is judged as before the request.
local function firstRefused(kept, mark)
  local refused
  asBefore(mark, function()
    for _, one in ipairs(kept) do
      local isOwn = not one.isNew and exempt.isHeldThrough(one.requester, one.at, one.owner, 0)
      if not isOwn and not exempt.isExempt(one.requester, one.keepers) then
        refused = one
        return
      end
    end
  end)
  return refused
end

-- Judges what a request has taken so far, on paper. Takes the entries that take() met, and the journal's length before
-- these were met, if the request has no mark. Returns the first entry, as of keptEntries(), that its requester may not
-- have, since it is kept for tickets ahead: if the request has a rank, its ticket waits for it. Returns nil if the
-- request may have all.
function keeping.refusedOf(entries, mark)
  mark = tenant.requestMark or mark
  -- Most requesters to whom the first one is refused may not have it, so the others are looked at only if they may.
  local kept = keptEntries(entries, mark, 1)
  local refused = kept[1] and firstRefused(kept, mark)
  if kept[1] and not refused then
    refused = firstRefused(keptEntries(entries, mark, math.huge), mark)
  end
  if refused and exempt.rank then
    queues.noteKept(refused.queue)
    agenda.rely(refused.keepers)
  end
  return refused or nil
end

-- Returns true if it is certain that what a ticket waits for is kept from it, or that too little of it is free.
function keeping.isKeptFrom(ticket)
  local name, rank = ticket.waitsFor, exempt.rank
  local free = lines.freeAt(name)
  local _, isBookable = lines.limitsOf(name)
  if isBookable then
    return ticket.method == '' and free > 0 and #needs.lackedAt(ticket, name) > 0 and
      fitting.fitsNone(turns.knownNow(), ticket, name)
  elseif ticket.method == 'FIRST' or free == 0 or isPlenty(free) or turns.isFirst(name, ticket.order) or
    needs.lackedAt(ticket, name).cleaning then
    return false
  end
  local needed, met = needs.neededAt(ticket, name)
  if next(met) == nil or free < needed then
    return next(met) ~= nil
  end
  local keepers = turns.keepersOf(name, ticket.order, free - 1, met)
  exempt.rank = ticket.order
  local is = keepers and not needs.sharesOwn(ticket.requester, keepers) and
    not exempt.isExempt(ticket.requester, keepers)
  exempt.rank = rank
  if is then
    agenda.rely(keepers)
  end
  return is
end

-- Returns true if the transaction that is carried out has released a slot.
local function isReleased(slot)
  for i = (tenant.requestMark or #slotMap.journal) + 1, #slotMap.journal, 2 do
    if slotMap.journal[i] == slot then
      return slotMap.journal[i + 1] ~= false
    end
  end
  return false
end

local function isKeptByName(slot, condition)
  local queue = lines.queueFor(slot, condition)
  return not queues.isQueueEmpty(queue) and turns.keepersOf(queue, exempt.rank, 0) and not isReleased(slot)
end

-- Returns the free slot of a pool with the lowest number, in a condition, that is not kept by name for others; if there
-- is none but kept ones, the lowest of these. Returns nil if no slot is free. Also of a requester from which nothing is
-- kept.
function keeping.unkept(name, capacity, condition)
  local slotNumber = conditions.nextFree(name, capacity, condition)
  if not slotNumber or queues.isQueueEmpty(lines.queueFor(name, condition)) then
    return slotNumber
  end
  local other = slotNumber
  while other and isKeptByName(name .. '_' .. other, condition) do
    other = conditions.freeFrom(name, capacity, condition, other + 1)
  end
  return other or slotNumber
end

-- Returns a function(slotNumber) that tells whether a slot of a bookable pool is kept from an entry; nil if none is.
function keeping.keptIn(entry)
  return keptSlots.keptIn(entry, exempt.rank)
end

-- Returns the next tickets ahead for which slots of a bookable resource are kept that an entry is about to take; nil if
-- none is. `isNew`: nobody holds them.
function keeping.keepersFor(entry, slots, isNew)
  return keptSlots.keepersOf(entry, slots, isNew, exempt.rank)
end

-- Returns the reply to an item that is refused since something is kept from it.
function keeping.keptReply()
  return { 'NOT_AVAILABLE', 'NOT_AVAILABLE: kept for a waiting request' }
end

return keeping
