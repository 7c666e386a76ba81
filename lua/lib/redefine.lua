-- Changing definitions: scripts decide in the tables of definitions.lua and write at the end, by commitDefinitions().
-- With a database, a change takes three steps: it is planned here, which charges it and refuses what cannot be done;
-- written to the database, if that has the definitions in the same version; and applied here, likewise. To replan is to
-- plan what was charged already. Without a database it is done now, in one step.
--
-- One sorted set, in the order of bytes, finds definitions:
--   n<name>                    every registered name
--   c<parent>\n<name>          the children of a resource; of '', the roots
--   s<pool>\n<index, 7 digits> names that have the form of a slot, by what would be their pool
--@include children
--@include commit
local redefined, redefinedOrder = {}, {}

-- Whether the planned version is no longer the current one. Also cancels a copy from the database that is in progress,
-- since it may have read the definitions before this change.
local function isStale(phase, version)
  return phase == 'apply' and (redis.call('DEL', copyingKey) == 1 or definitionsVersion ~= version)
end

local function change(name, one)
  if redefined[name] == nil then
    redefined[name] = definition(name)
    redefinedOrder[#redefinedOrder + 1] = name
  end
  defined[name] = one
end

-- Gives a name another definition.
local function define(name, capacity, parent, blocks)
  local before = definition(name)
  local pooled = capacity > 1 or before and before.pooled and poolOf(name).held > 0 or false
  spend(9 + #blocks / 2 + #name / 100)
  change(name, { capacity = capacity, parent = parent, blocks = blocks, hasBlockers = #blocks > 0, pooled = pooled })
end

-- Removes the definition of a name.
local function undefine(name)
  spend(9)
  change(name, false)
end

-- Held slots that one script makes a pool's. A registration with more is refused. A copy from the database leaves the
-- others plain: they are not handed out, and not counted.
local MAX_ADOPTED = 500
local adopted = 0

-- The lowest held indexes of slots <name>_<i> below a capacity, as they are stored, at most limit + 1 of them.
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

-- Slots of a pool that are held as plain resources become the pool's, still under the names that they were asked for
-- by. Takes the pool's name, defined. Returns false if they are more than one script may look at.
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
  read(slots)
  for _, slot in ipairs(slots) do
    local record = at(slot)
    if record and record.pool == '' then
      put(slot, with(record, { pool = name, byName = true }))
    end
  end
  return #indexes <= limit
end

-- A registered resource that has the name of a slot of a pool, by its index from the first on; nil if there is none.
local function nameOfSlot(pool, capacity)
  spend(3)
  local range = { '[s' .. pool .. '\n', string.format('(s%s\n%07d', pool, capacity) }
  local member = redis.call('ZRANGE', indexKey, range[1], range[2], 'BYLEX', 'LIMIT', 0, 1)[1]
  return member and pool .. '_' .. tonumber(string.sub(member, -7))
end

-- Adds to a list what stands in the index for a name itself, each after a score if one is given.
local function addIndexed(list, name, score)
  local pool, index = slotIndex(name)
  for _, member in ipairs({ 'n' .. name, pool and string.format('s%s\n%07d', pool, index) }) do
    list[#list + 1] = score
    list[#list + 1] = member
  end
end

-- Writes what has changed, all of it, and that it follows a version; '' if versions do not count.
local function commitDefinitions(version)
  local set, del, add, remove, pooledNoMore, more = {}, {}, {}, {}, {}, 0
  for _, name in ipairs(redefinedOrder) do
    local before, after = redefined[name], defined[name]
    if after then
      set[#set + 1] = name
      set[#set + 1] = packDefinition(after)
      if after.hasBlockers then
        set[#set + 1] = '\1' .. name
        set[#set + 1] = table.concat(after.blocks, '\n')
      end
    else
      del[#del + 1] = name
    end
    if before and before.hasBlockers and not (after and after.hasBlockers) then
      del[#del + 1] = '\1' .. name
    end
    if after and not before then
      more = more + 1
      addIndexed(add, name, 0)
    elseif before and not after then
      more = more - 1
      addIndexed(remove, name, nil)
    end
    local parentBefore, parent = before and before.parent, after and after.parent
    if parentBefore ~= parent then
      if parentBefore then
        remove[#remove + 1] = 'c' .. parentBefore .. '\n' .. name
      end
      if parent then
        add[#add + 1] = 0
        add[#add + 1] = 'c' .. parent .. '\n' .. name
      end
    end
  end
  if definitions == 0 and more > 0 then
    set[#set + 1] = UNLISTED
    set[#set + 1] = LONG_VALUE
  elseif definitions > 0 and definitions + more == 0 then
    del[#del + 1] = UNLISTED
  end
  callWith('HDEL', definitionsKey, del)
  callWith('HSET', definitionsKey, set)
  callWith('ZREM', indexKey, remove)
  callWith('ZADD', indexKey, add)
  local fields = { 'definitions', definitions + more }
  if version ~= '' then
    fields[3], fields[4] = 'definitionsVersion', version + 1
  end
  redis.call('HSET', tenantKey, unpack(fields))
end
