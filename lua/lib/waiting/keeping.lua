-- Which free slots are kept from a request (docs/specification.md#waiting-order).
--@include freeSlots
--@include waiting/holders
--@include waiting/state
--@include waiting/turns

-- The request that is judged. Fields:
--   rank       the order of its ticket; nil for a request without one
--   isExcused  true while it is carried out although it takes what is kept
local judged = { rank = nil, isExcused = false }

-- Returns true if so many slots are free that none of them is kept.
local function isPlenty(free)
  return free >= MAX_TURNS and (free >= MAX_ENTRIES or nthOf(LARGE_PREFIX, 1) == nil)
end

local keptEntries
-- The blocks keep the queue's function below the 200 local variables that Lua allows.
do
  -- Returns true if a slot that was held before a request's changes is free for it to take again: nothing is kept from
  -- a transaction for what it releases itself. `mark` is the journal's length before the request.
  local function isNetTaken(name, mark)
    local own = definition(name)
    local delta, seen = 0, {}
    for i = mark + 1, #journal, 2 do
      local slot, before = journal[i], journal[i + 1]
      if not seen[slot] then
        seen[slot] = true
        local now = records[slot]
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
    for i = mark + 1, entry.isShared and #journal or 0, 2 do
      if journal[i] == entry.at then
        return journal[i + 1] and recordAt(entry.at).refCount <= journal[i + 1].refCount
      end
    end
    return false
  end

  -- Returns true if what an entry took, or joined, in a line is kept for tickets ahead.
  local function isKeptIn(name, entry, isNew, mark)
    if isLineEmpty(name) then
      return false
    end
    local free = freeAt(name)
    if isPlenty(free) or free >= keptAt(name, judged.rank, metBy(entry)) then
      return false
    elseif isNew then
      return isNetTaken(name, mark)
    end
    return not isJoinedAgain(entry, mark)
  end

  -- Notes what an entry took, or joined, if it is kept in a line for tickets ahead. Returns true if it is.
  local function noteKept(found, entry, name, slot, isNew, mark)
    local isKept = isKeptIn(name, entry, isNew, mark)
    if isKept then
      found[#found + 1] = {
        name = name, line = name == entry.slot and name or entry.resource, isNew = isNew, owner = entry.owner,
        at = slot, requester = entry.requester, place = entry.place, met = metBy(entry),
      }
    end
    return isKept
  end

  -- Checks what a request has taken so far, on paper. Takes the entries that take() met, and the journal's length
  -- before these were met, if the request has no mark. Returns the entries that took, or joined, what is kept for
  -- tickets ahead; nil if there are none. Fields:
  --   name, line        what is kept; the line in which the request would wait for it
  --   isNew, owner, at  of the hold; its slot
  --   requester, place  who asked, in which item
  --   met               the needs that do not count against it
  keptEntries = function(entries, mark)
    if judged.isExcused then
      return nil
    end
    local found = {}
    mark = tenant.requestMark or mark
    for _, entry in ipairs(entries) do
      local resource, at, isNew = entry.resource, entry.at, entry.isNew
      local isJoined = not isNew and (entry.role == 'blocker' or entry.isShared)
      -- Tickets that name a slot are in the line of its pool, too.
      local areAny = not isLineEmpty(resource)
      if areAny and (isNew or isJoined) and not (at ~= resource and noteKept(found, entry, at, at, isNew, mark)) then
        noteKept(found, entry, resource, at, isNew, mark)
      end
      if areAny and entry.further then
        noteKept(found, entry, resource, entry.further[1], true, mark)
        for _, slot in ipairs(entry.further) do
          noteKept(found, entry, slot, slot, true, mark)
        end
      end
    end
    state.wasKept = state.wasKept or found[1] ~= nil and judged.rank ~= nil
    return found[1] and found
  end
end

--@include waiting/exempt

-- Returns true if it is certain that what a ticket waits for is kept from it, or that too little of it is free.
local function isKeptFrom(ticket)
  local name = ticket.waitsFor
  local free = freeAt(name)
  if ticket.method == 'FIRST' or free == 0 or isPlenty(free) or isFirst(name, ticket.order) then
    return false
  end
  local lacked, met, named, needed = lackedAt(ticket, name), {}, {}, 0
  for _, key in ipairs(lacked) do
    needed = needed + (met[key] and 0 or 1)
    met[key] = true
    named[string.match(key, '^(.*)\n[^#]') or ''] = true
  end
  for owner in pairs(named) do
    -- A slot that an owner lacks by name also meets its need of any slot.
    needed = needed - (met[owner] and 1 or 0)
  end
  if #lacked == 0 then
    return false
  elseif free < needed then
    return true
  end
  local kept, keepers = keptAt(name, ticket.order, met)
  local rank = judged.rank
  judged.rank = ticket.order
  local is = free <= kept and not sharesOwn(ticket.requester, keepers) and not isExempt(ticket.requester, keepers)
  judged.rank = rank
  return is
end

-- Runs a function in the state before the transaction that is carried out, if there is one. Returns its result.
local function asBefore(run)
  local redo, after = {}, {}
  for i = #journal - 1, (tenant.requestMark or #journal) + 1, -2 do
    local slot = journal[i]
    local now = after[slot]
    if now == nil then
      now = records[slot]
    end
    redo[#redo + 1] = { slot, now }
    after[slot] = journal[i + 1]
  end
  undo(tenant.requestMark or #journal)
  local result = run()
  for i = #redo, 1, -1 do
    setRecord(redo[i][1], redo[i][2])
  end
  return result
end

-- Decides on entries of keptEntries(), after the request was undone: who holds what is judged as before the request.
-- Returns true if their requesters may take them all the same. If not, and the request has a rank, its ticket waits for
-- the first of them: the line is noted.
local function mayTake(kept)
  local may = asBefore(function()
    for _, one in ipairs(kept) do
      if one.isNew or not isHeldThrough(one.requester, one.at, one.owner, 0) then
        local _, keepers = keptAt(one.name, judged.rank, one.met)
        if not isExempt(one.requester, keepers) then
          return false
        end
      end
    end
    return true
  end)
  if not may and judged.rank then
    keepLine(kept[1].line)
  end
  return may
end

local unkept
do
  -- Returns the lowest free index of a pool from `from` on, below its capacity; nil if none is free. freeFrom() begins
  -- at a byte of the bitmap, so the slots up to the next one are read.
  local function nextFree(name, capacity, from)
    while from % 8 ~= 0 and from < capacity do
      if not recordAt(name .. '_' .. from) then
        return from
      end
      from = from + 1
    end
    return from < capacity and freeFrom(name, capacity, from) or nil
  end

  -- Returns true if the transaction that is carried out has released a slot.
  local function isReleased(slot)
    for i = (tenant.requestMark or #journal) + 1, #journal, 2 do
      if journal[i] == slot then
        return journal[i + 1] ~= false
      end
    end
    return false
  end

  local function isKeptByName(slot)
    return not isLineEmpty(slot) and keptAt(slot, judged.rank) > 0 and not isReleased(slot)
  end

  -- Returns the free slot of a pool with the lowest index that is not kept by name for others; if there is none
  -- but kept ones, the lowest of these. Returns nil if no slot is free. Also of a requester from which nothing is kept.
  unkept = function(name, capacity)
    local index = lowestFree(name, capacity)
    if not index or isLineEmpty(name) then
      return index
    end
    local other = index
    while other and isKeptByName(name .. '_' .. other) do
      other = nextFree(name, capacity, other + 1)
    end
    return other or index
  end
end
-- Runs a function for a request from which nothing is kept.
local function excuse(run)
  judged.isExcused = true
  run()
  judged.isExcused = false
end

-- Returns the reply to an item that is refused since something is kept from it.
local function keptReply()
  return { 'NOT_AVAILABLE', 'NOT_AVAILABLE: kept for a waiting request' }
end
