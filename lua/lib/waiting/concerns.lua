-- Opens the queue for calls that touch a resource somebody waits for.
--@include clock
--@include isShare
--@include slots
--@include work
-- firstMembers[name]: the first members of the lines (waiting/lines.lua) of a resource or slot, as they are stored.
local firstMembers = {}
local FIRST_PAGE = 8

-- Returns true if no stored ticket's plan has a resource or slot, and none waits for it.
local function hasNoLine(name)
  local members = firstMembers[name]
  if members == nil then
    spend(3)
    members = redis.call('ZRANGE', linesKey, '[' .. name .. '\n', '(' .. name .. '\11', 'BYLEX', 'LIMIT', 0, FIRST_PAGE)
    firstMembers[name] = members
  end
  return members[1] == nil
end

-- Opens the queue if a ticket has to do with a resource or slot.
tenant.openFor = function(name)
  if not tenant.queue and not hasNoLine(name) then
    tenant.openQueue()
  end
end

-- Opens the queue if a match waits: a slot of a resource that fits may have become free, or been taken by a match of
-- the same requester.
local function openForMatches()
  local first = redis.call('ZRANGE', linesKey, '[\9', '(\10', 'BYLEX', 'LIMIT', 0, 1)
  if first[1] and not tenant.queue then
    tenant.openQueue()
  end
end

-- Returns true if a change of a record ended a requester's reservation of its slot, and the slot is still held: shared
-- with others, through another of its plans, or by another owner.
local function isOnlyLeft(slot, before, now)
  if isShare(slot) then
    return before and not now
  end
  return before and before.token and now and not (now.token and now.owner == before.owner)
end

-- Opens the queue if this script changed a slot that tickets have to do with.
tenant.openForChanges = function()
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    local pool = record and record.pool or before and before.pool or ''
    if tenant.labelled and (not record or record.match or isOnlyLeft(slot, before, record)) then
      openForMatches()
    end
    if (not record or not before or record.owner ~= before.owner) and not isShare(slot) then
      tenant.openFor(slot)
      if pool ~= '' then
        tenant.openFor(pool)
      end
    end
    if tenant.queue then
      return
    end
  end
end

-- Returns ms until something of the tenant is due; -1 if nothing is.
tenant.dueInMs = function()
  local due = math.min(tenant.nextDue, tenant.queueState.nextDue, tenant.sessions and tenant.sessions.nextDue or math.huge)
  return due == math.huge and -1 or math.max(0, math.ceil(due - nowMs))
end
