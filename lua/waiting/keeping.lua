-- Which free slots are kept from a request (docs/specification.md#waiting-order).
local agenda = require('waiting/agenda')
local exempt = require('waiting/exempt')
local freeSlots = require('slots/freeSlots')
local queues = require('waiting/queues')
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

-- Returns true if a slot that was held before a request's changes is free for it to take again: nothing is kept from
-- a transaction for what it releases itself. `mark` is the journal's length before the request.
local function isNetTaken(name, mark)
  local own = registry.definition(name)
  local delta, isSeen = 0, {}
  for i = mark + 1, #slotMap.journal, 2 do
    local slot, before = slotMap.journal[i], slotMap.journal[i + 1]
    if not isSeen[slot] then
      isSeen[slot] = true
      local now = slotMap.records[slot]
      local isOfLine = slot == name or
        own and own.pooled and (now and now.pool == name or before and before.pool == name)
      if isOfLine then
        delta = delta + (now and 1 or 0) - (before and 1 or 0)
      end
    end
  end
  return delta > 0
end

-- Returns the needs that do not count against an entry, as keptAt() takes them: against a SHARED one, those of others
-- for the same slot that are SHARED too.
local function metBy(entry)
  if entry.isShared then
    return { [entry.owner] = true, [entry.owner .. '\n' .. entry.at] = true }
  end
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

-- Returns true if what an entry took, or joined, in a queue is kept for tickets ahead.
local function isKeptIn(name, entry, isNew, mark)
  if queues.isQueueEmpty(name) then
    return false
  end
  local free = needs.freeAt(name)
  if isPlenty(free) or free >= turns.keptAt(name, exempt.judged.rank, metBy(entry)) then
    return false
  elseif isNew then
    return isNetTaken(name, mark)
  end
  return not isJoinedAgain(entry, mark)
end

-- Notes what an entry took, or joined, if it is kept in a queue for tickets ahead. Returns true if it is.
local function noteKept(found, entry, name, slot, isNew, mark)
  local isKept = isKeptIn(name, entry, isNew, mark)
  if isKept then
    found[#found + 1] = {
      name = name, queue = name == entry.slot and name or entry.resource, isNew = isNew, owner = entry.owner,
      at = slot, requester = entry.requester, place = entry.place, met = metBy(entry),
    }
  end
  return isKept
end

-- Checks what a request has taken so far, on paper. Takes the entries that take() met, and the journal's length
-- before these were met, if the request has no mark. Returns the entries that took, or joined, what is kept for
-- tickets ahead; nil if there are none. Fields:
--   name, queue        what is kept; the queue in which the request would wait for it
--   isNew, owner, at  of the hold; its slot
--   requester, place  who asked, in which item
--   met               the needs that do not count against it
function keeping.keptEntries(entries, mark)
  if exempt.judged.isExcused then
    return nil
  end
  local found = {}
  mark = tenant.requestMark or mark
  for _, entry in ipairs(entries) do
    local resource, at, isNew = entry.resource, entry.at, entry.isNew
    local isJoined = not isNew and (entry.role == 'blocker' or entry.isShared)
    -- Tickets that name a slot are in the queue of its pool, too.
    local areAny = not queues.isQueueEmpty(resource)
    if areAny and (isNew or isJoined) and not (at ~= resource and noteKept(found, entry, at, at, isNew, mark)) then
      noteKept(found, entry, resource, at, isNew, mark)
    end
    if areAny and entry.moreSlots then
      noteKept(found, entry, resource, entry.moreSlots[1], true, mark)
      for _, slot in ipairs(entry.moreSlots) do
        noteKept(found, entry, slot, slot, true, mark)
      end
    end
  end
  return found[1] and found
end

-- Returns how many slots of a queue a ticket needs, and the needs for which it needs them (lackedAt).
local function neededAt(ticket, name)
  local met, named, needed = {}, {}, 0
  for _, key in ipairs(needs.lackedAt(ticket, name)) do
    needed = needed + (met[key] and 0 or 1)
    met[key] = true
    named[string.match(key, '^(.*)\n[^#]') or ''] = true
  end
  for owner in pairs(named) do
    -- A slot that an owner lacks by name also meets its need of any slot.
    needed = needed - (met[owner] and 1 or 0)
  end
  return needed, met
end

-- Returns true if it is certain that what a ticket waits for is kept from it, or that too little of it is free.
function keeping.isKeptFrom(ticket)
  local name = ticket.waitsFor
  local free = needs.freeAt(name)
  if ticket.method == 'FIRST' or free == 0 or isPlenty(free) or turns.isFirst(name, ticket.order) then
    return false
  end
  local needed, met = neededAt(ticket, name)
  if next(met) == nil or free < needed then
    return next(met) ~= nil
  end
  local kept, keepers = turns.keptAt(name, ticket.order, met)
  local rank = exempt.judged.rank
  exempt.judged.rank = ticket.order
  local is = free <= kept and not needs.sharesOwn(ticket.requester, keepers) and
    not exempt.isExempt(ticket.requester, keepers)
  exempt.judged.rank = rank
  if is then
    agenda.rely(keepers)
  end
  return is
end

-- Runs a function in the state before the transaction that is carried out, if there is one.
local function asBefore(run)
  local redo, after = {}, {}
  for i = #slotMap.journal - 1, (tenant.requestMark or #slotMap.journal) + 1, -2 do
    local slot = slotMap.journal[i]
    local now = after[slot]
    if now == nil then
      now = slotMap.records[slot]
    end
    redo[#redo + 1] = { slot, now }
    after[slot] = slotMap.journal[i + 1]
  end
  slotMap.undo(tenant.requestMark or #slotMap.journal)
  run()
  for i = #redo, 1, -1 do
    slotMap.setRecord(redo[i][1], redo[i][2])
  end
end

-- Decides on entries of keptEntries(), after the request was undone: who holds what is judged as before the request.
-- Returns true if their requesters may take them all the same. If not, the first entry that they may not take is moved
-- to the front of the array: if the request has a rank, its ticket waits for it.
function keeping.mayTake(kept)
  local refused, keptBy
  asBefore(function()
    for i, one in ipairs(kept) do
      if one.isNew or not exempt.isHeldThrough(one.requester, one.at, one.owner, 0) then
        local _, keepers = turns.keptAt(one.name, exempt.judged.rank, one.met)
        if not exempt.isExempt(one.requester, keepers) then
          refused, keptBy = i, keepers
          return
        end
      end
    end
  end)
  if not refused then
    return true
  end
  kept[1], kept[refused] = kept[refused], kept[1]
  if exempt.judged.rank then
    queues.noteKept(kept[1].queue)
    agenda.rely(keptBy)
  end
  return false
end

-- Returns the lowest free number of a pool from `from` on, below its capacity; nil if none is free. freeFrom() begins
-- at a byte of the bitmap, so the slots up to the next one are read.
local function nextFree(name, capacity, from)
  while from % 8 ~= 0 and from < capacity do
    if not slotMap.recordAt(name .. '_' .. from) then
      return from
    end
    from = from + 1
  end
  return from < capacity and freeSlots.freeFrom(name, capacity, from) or nil
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

local function isKeptByName(slot)
  return not queues.isQueueEmpty(slot) and turns.keptAt(slot, exempt.judged.rank) > 0 and not isReleased(slot)
end

-- Returns the free slot of a pool with the lowest number that is not kept by name for others; if there is none
-- but kept ones, the lowest of these. Returns nil if no slot is free. Also of a requester from which nothing is kept.
function keeping.unkept(name, capacity)
  local slotNumber = freeSlots.lowestFree(name, capacity)
  if not slotNumber or queues.isQueueEmpty(name) then
    return slotNumber
  end
  local other = slotNumber
  while other and isKeptByName(name .. '_' .. other) do
    other = nextFree(name, capacity, other + 1)
  end
  return other or slotNumber
end

-- Runs a function for a request from which nothing is kept.
function keeping.excuse(run)
  exempt.judged.isExcused = true
  run()
  exempt.judged.isExcused = false
end

-- Returns the reply to an item that is refused since something is kept from it.
function keeping.keptReply()
  return { 'NOT_AVAILABLE', 'NOT_AVAILABLE: kept for a waiting request' }
end

return keeping
