-- Begins the walks (agenda.lua) for changes of slots and of their conditions.
local agenda = require('waiting/agenda')
local lines = require('waiting/lines')
local queues = require('waiting/queues')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local walks = require('waiting/walks')
local work = require('frame/work')
local changes = {}

-- The journal's length up to which changes were looked at.
local settledTo

-- Resources whose matches this call of touch() has activated: name -> true.
local activated

local function activateMatches(name)
  if not activated[name] then
    activated[name] = true
    walks.activateMatches(name)
  end
end

-- Begins the walks for a change of who has a share in a slot.
local function touchShare(slot, before, now)
  local resource = string.match(slot, '^[^\1]*')
  if not queues.isQueueEmpty(resource) then
    agenda.stirKept(resource)
    agenda.stirTurns(resource)
  end
  if now and not before and (state.hasKept or not queues.isQueueEmpty(resource)) then
    agenda.addWalk('r', now.owner)
  end
end

-- Begins the walks for a queue of which a slot was freed, or taken by an owner (nil: it was freed).
local function touchQueue(queue, owner)
  if queues.isQueueEmpty(queue) then
    return
  end
  if not owner or slotMap.declarerOf(owner) then
    agenda.addWalk(owner and 'j' or 'f', queue)
  else
    agenda.stirKept(queue)
    agenda.addWalk('r', owner)
  end
  agenda.stirTurns(queue)
end

-- The same for the queues of a slot, or of a pool.
local function touchName(name, owner)
  if not owner then
    activateMatches(name)
  end
  lines.eachOf(name, touchQueue, owner)
end

-- Begins the walks for a queue of which a slot has another condition. `isLimit`: the slot is out of service now, or
-- was. Dirty slots count among the ready ones.
local function touchLine(queue, isLimit, condition)
  if not queues.isQueueEmpty(queue) then
    agenda.stirLine(queue, isLimit or condition ~= 'ready')
  end
end

-- Begins the walks for the lines of a slot that has another condition. Takes a slot and isLimit as a walk names them.
function changes.touchLines(name)
  lines.eachOf(string.sub(name, 2), touchLine, string.sub(name, 1, 1) == '1')
end

-- Begins the walks for a slot of a resource that a booking has, or had: other tickets may fit it, or no longer.
local function stirBooked(record)
  activateMatches(record.resource)
  lines.eachOf(record.slot, touchLine, true)
  if record.slot ~= record.resource then
    lines.eachOf(record.resource, touchLine, true)
  end
end

-- Begins the walks for a change of a booking (bookings/records.lua), false none.
local function touchBooking(before, now)
  for _, record in pairs({ before or nil, now or nil }) do
    if record.state ~= 'r' then
      stirBooked(record)
    end
  end
end

-- Begins the walks for a change of the condition of a slot, or of its reason. `seen`: what was done for its resource.
-- Walks are added to `later`: of many slots, most are left to the steps that follow.
local function touchCondition(change, seen, later, limit)
  if change.before == change.condition then
    return
  end
  local slot, resource = change.slot, change.resource
  local isLimit = change.before == 'out' or change.condition == 'out'
  local name = isLimit and '1' or '0'
  if seen[resource] == nil then
    activateMatches(resource)
    seen[resource] = slot == resource or queues.mayWaitForSlots(resource)
  end
  if slot ~= resource and not seen[name .. resource] then
    seen[name .. resource] = true
    lines.eachOf(resource, touchLine, isLimit)
  end
  if seen[resource] and work.done > limit then
    later[#later + 1] = 'c' .. name .. slot
  elseif seen[resource] then
    changes.touchLines(name .. slot)
  end
  local record = slotMap.recordAt(slot)
  if record and not record.token and not slotMap.declarerOf(record.owner) then
    -- Its owner has it as an ancestor, and may wait for it in this condition.
    later[#later + 1] = 'r' .. record.owner
  end
end

-- Begins the walks for a slot that was freed, or taken by an owner.
local function touchSlot(slot, pool, owner, match)
  touchName(slot, owner)
  if pool ~= '' then
    touchName(pool, owner)
  end
  -- It may hold by this what a next ticket waits for, or what a match of it waits for.
  if owner and not slotMap.declarerOf(owner) and (state.hasKept or match and queues.nthOf('\9', 1)) then
    agenda.addWalk('r', owner)
  end
end

-- Begins the walks for a change of a record.
local function touch(slot, before, now)
  if queues.isOnlyLeft(slot, before, now) then
    -- Matches of its requester passed the resource until now, and may take another slot of it.
    activateMatches(before.pool ~= '' and before.pool or string.match(slot, '^[^\1]*'))
  end
  if shared.isShare(slot) then
    touchShare(slot, before, now)
  elseif now and not queues.isSameHold(before, now) then
    touchSlot(slot, now.pool, now.owner, now.match)
  elseif not now then
    touchSlot(slot, before and before.pool or '')
  end
end

-- Begins the walks for the changes since it was called last.
function changes.touch()
  local MAX_WORK = 100
  local seen, later, limit = {}, {}, work.done + MAX_WORK
  activated = {}
  for i = settledTo + 1, #slotMap.journal, 2 do
    local slot = slotMap.journal[i]
    work.spend(0.5)
    if slot.restore and slot.slot then
      touchCondition(slot, seen, later, limit)
    elseif slot.restore then
      touchBooking(slotMap.journal[i + 1], slot.valueOf(slot))
    else
      touch(slot, slotMap.journal[i + 1], slotMap.records[slot])
    end
  end
  settledTo = #slotMap.journal
  -- The list of walks is sorted: one is added at its end faster than in its middle.
  table.sort(later)
  for _, walk in ipairs(later) do
    agenda.addWalk(string.sub(walk, 1, 1), string.sub(walk, 2))
  end
end

function changes.open()
  settledTo = 0
end

return changes
