-- Writes the changes of the queue.
--@include callWith
--@include waiting/catchUp
--@include waiting/stateText

local writeQueue
-- The block keeps the queue's function below the 200 local variables that Lua allows.
do
  -- Returns the due times of the changed tickets to add and to remove, and writes their records.
  local function writeTickets()
    local set, del, due, undue = {}, {}, {}, {}
    for _, ticket in ipairs(changedTickets) do
      local number = numberOf(ticket)
      if ticket.status == 'ended' then
        del[#del + 1] = number
        undue[#undue + 1] = number
      else
        set[#set + 1] = number
        set[#set + 1] = packTicket(ticket)
        due[#due + 1] = ticket.due
        due[#due + 1] = number
      end
    end
    callWith('HSET', ticketsKey, set)
    callWith('HDEL', ticketsKey, del)
    return due, undue
  end

  local function writeLines()
    local add, remove = {}, {}
    for prefix, writes in pairs(lineWrites) do
      for rest, isIn in pairs(writes) do
        if isIn then
          add[#add + 1] = 0
          add[#add + 1] = prefix .. rest
        else
          remove[#remove + 1] = prefix .. rest
        end
      end
    end
    callWith('ZREM', linesKey, remove)
    callWith('ZADD', linesKey, add)
  end

  -- Notes when something of the tickets is next due. Takes the times that were written, each followed by its member,
  -- and whether others were removed.
  local function noteNextDue(due, isAnyRemoved)
    local earliest, isRaised = math.huge, isAnyRemoved
    for i = 1, #due, 2 do
      earliest = math.min(earliest, due[i])
    end
    for _, ticket in ipairs(changedTickets) do
      isRaised = isRaised or ticket.dueBefore and ticket.dueBefore <= state.nextDue and ticket.due > ticket.dueBefore
    end
    if earliest <= state.nextDue then
      state.nextDue = earliest
    elseif isRaised then
      state.nextDue = tonumber(redis.call('ZRANGE', waitsKey, 0, 0, 'WITHSCORES')[2] or math.huge)
    end
  end

  -- Writes everything of the queue that this script changed, but for its state. Adds the fields of the tenant that have
  -- it: field, value, ...
  writeQueue = function(fields)
    if state.tickets == 0 and state.granted == 0 then
      if tenant.queueText then
        redis.call('UNLINK', ticketsKey, linesKey, waitsKey)
        redis.call('HDEL', tenantKey, 'queue')
      end
    else
      local due, undue = writeTickets()
      writeLines()
      for member, ms in pairs(otherDue) do
        if ms then
          due[#due + 1] = ms
          due[#due + 1] = member
        else
          undue[#undue + 1] = member
        end
      end
      callWith('ZADD', waitsKey, due)
      callWith('ZREM', waitsKey, undue)
      noteNextDue(due, #undue > 0)
      local text = stateText()
      if text ~= tenant.queueText then
        fields[#fields + 1] = 'queue'
        fields[#fields + 1] = text
      end
    end
    if areBeatsChanged then
      fields[#fields + 1] = 'beats'
      fields[#fields + 1] = beatsText()
    end
  end
end

-- Publishes the wake-ups to the instances that hold calls.
local function publishWakes()
  for instance, list in pairs(wakes) do
    redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, table.concat(list, '\n'))
  end
end

-- Returns the earliest time before which the tenant must be in the expiry index, in ms: no grant is made for less than
-- 5 s, so that grants made by any script are swept in time.
local function earliestLease()
  local MIN_CLAIM_MS = 5000
  local earliest = state.tickets + state.granted > 0 and nowMs + MIN_CLAIM_MS or math.huge
  for _, ticket in ipairs(changedTickets) do
    if ticket.status ~= 'ended' then
      earliest = math.min(earliest, ticket.due)
    end
  end
  return earliest
end

-- Returns true if this script changed anything of the queue.
local function isQueueChanged()
  return #changedTickets > 0 or isLineWritten or areBeatsChanged or next(otherDue) ~= nil or
    (stateText() or false) ~= tenant.queueText
end
