-- Defines resources, and moves held slots into pools that grow.
--@include copyWith
--@include redefine
--@include slots

-- Gives a name another definition. isGroup and labels are left as they are if nil.
local function define(name, capacity, parent, blocks, isGroup, labels)
  local before, labelsBefore = definition(name), labelsOf(name)
  if isGroup == nil then
    isGroup = before and before.isGroup or false
  end
  if labels then
    spend(#labels + #labelsBefore)
  else
    labels = labelsBefore
  end
  local pooled = capacity > 1 or before and before.pooled and poolOf(name).held > 0 or false
  spend(#blocks / 2 + #name / 100)
  redefine(name, {
    capacity = capacity, parent = parent, blocks = blocks, hasBlockers = #blocks > 0, pooled = pooled,
    isGroup = isGroup, labels = labels, hasLabels = #labels > 0,
  })
end

-- Maximum number of held slots that one script moves into pools. A registration with more is refused. A copy from the
-- database leaves the rest as plain resources: the pool neither assigns nor counts them.
local MAX_ADOPTED = 500
local adopted = 0

-- Returns the lowest stored indexes i below a capacity for which <name>_<i> is held, at most limit + 1 of them.
local function heldIndexes(name, capacity, limit)
  local found, stored = {}, redis.call('HLEN', poolsKey)
  local lastChunk = math.floor((capacity - 1) / CHUNK_SLOTS)
  for first = 0, lastChunk, 100 do
    local fields = {}
    for chunk = first, math.min(first + 99, lastChunk) do
      fields[#fields + 1] = chunkField(name, chunk)
    end
    spend(#fields * (0.5 + shortHashCost(stored) + #name / 500))
    for i, packed in ipairs(redis.call('HMGET', poolsKey, unpack(fields))) do
      for at = 1, packed and #packed or 0 do
        local byte = string.byte(packed, at)
        for offset = 0, byte == 0 and -1 or 7 do
          local index = (first + i - 1) * CHUNK_SLOTS + (at - 1) * 8 + offset
          if index < capacity and bit.band(byte, bit.rshift(128, offset)) ~= 0 then
            found[#found + 1] = index
            if #found > limit then
              return found
            end
          end
        end
      end
    end
  end
  return found
end

-- Moves slots that are held as plain resources into their pool. They keep the names by which they were reserved. The
-- pool must already be defined. Returns false if there are more of them than one script may adopt.
local function adoptSlots(name)
  local capacity = definition(name).capacity
  local before = redefined[name] and redefined[name].capacity or 1
  if capacity <= before or redis.call('EXISTS', poolsKey) == 0 then
    return true
  end
  local limit = MAX_ADOPTED - adopted
  local indexes, slots = heldIndexes(name, capacity, limit), {}
  for i = 1, math.min(limit, #indexes) do
    slots[i] = name .. '_' .. indexes[i]
  end
  adopted = adopted + #slots
  readSlots(slots)
  for _, slot in ipairs(slots) do
    local unpooled = recordAt(slot)
    if unpooled and unpooled.pool == '' then
      setRecord(slot, copyWith(unpooled, { pool = name, byName = true }))
    end
  end
  return #indexes <= limit
end
