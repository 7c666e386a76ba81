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
    walks.activateMatches(name)
  end
  lines.eachOf(name, touchQueue, owner)
end

-- Begins the walks for a queue of which a slot has another condition. Dirty ones count among the ready ones.
local function touchLine(queue, change, condition)
  if not queues.isQueueEmpty(queue) then
    agenda.stirLine(queue, condition ~= 'ready' or change.before == 'out' or change.condition == 'out')
  end
end

-- Begins the walks for a change of the condition of a slot, or of its reason.
local function touchCondition(change)
  if change.before ~= change.condition then
    walks.activateMatches(change.resource)
    lines.eachOf(change.slot, touchLine, change)
    if change.slot ~= change.resource then
      lines.eachOf(change.resource, touchLine, change)
    end
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
    walks.activateMatches(before.pool ~= '' and before.pool or string.match(slot, '^[^\1]*'))
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
  for i = settledTo + 1, #slotMap.journal, 2 do
    local slot = slotMap.journal[i]
    work.spend(0.5)
    if slot.restore then
      touchCondition(slot)
    else
      touch(slot, slotMap.journal[i + 1], slotMap.records[slot])
    end
  end
  settledTo = #slotMap.journal
end

function changes.open()
  settledTo = 0
end

return changes
