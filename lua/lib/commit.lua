-- Writes what a script has decided.
--@include slots
--@include publish

-- Calls a variadic command with a list as long as it may be, as often as it takes; a thousand is a whole number of
-- pairs.
local function callWith(command, key, list)
  for from = 1, #list, 1000 do
    redis.call(command, key, unpack(list, from, math.min(from + 999, #list)))
  end
end

-- Adds what changed of pools to the fields to set and to delete.
local function packPools(set, del)
  for name, pool in pairs(pools) do
    if pool.held == 0 then
      if pool.stored > 0 then
        del[#del + 1] = name
      end
    elseif pool.held ~= pool.stored or pool.isChanged then
      set[#set + 1] = name
      set[#set + 1] = struct.pack(SUMMARY, pool.held, pool.from)
    end
  end
  for _, field in ipairs(dirtyChunks) do
    local bytes = chunks[field]
    local last = CHUNK_BYTES
    while last > 0 and bytes[last] == 0 do
      last = last - 1
    end
    if last == 0 then
      del[#del + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = string.char(unpack(bytes, 1, last))
    end
  end
end

-- Writes all that has changed, and publishes what there is to tell of it. Takes the usage that is charged for it
-- (charge.lua), nil for none.
local function commit(charged)
  local set, del, due, undue, setPools, delPools = {}, {}, {}, {}, {}, {}
  local flips, fields = {}, {}
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    if record ~= before then
      if record then
        set[#set + 1] = slot
        set[#set + 1] = pack(slot, record)
      else
        del[#del + 1] = slot
      end
      local ended, made = before and before.token, record and record.token
      local dueBefore, dueNow = ended and before.expiresAt or 0, made and record.expiresAt or 0
      if dueNow > 0 and dueNow ~= dueBefore then
        due[#due + 1] = dueNow
        due[#due + 1] = slot
        nextDue = math.min(nextDue, dueNow)
      elseif dueNow == 0 and dueBefore > 0 then
        undue[#undue + 1] = slot
      end
      local poolBefore, pool = before and before.pool or '', record and record.pool or ''
      if not before ~= not record or poolBefore ~= pool then
        local name, index = slotIndex(slot)
        if name then
          flips[#flips + 1] = { name, index, record ~= false }
          fields[#fields + 1] = chunkField(name, math.floor(index / CHUNK_SLOTS))
        end
      end
      local assignedBefore = poolBefore ~= '' and not before.byName and poolBefore .. '\n' .. before.owner
      local assignedNow = pool ~= '' and not record.byName and pool .. '\n' .. record.owner
      if assignedBefore and assignedBefore ~= assignedNow then
        delPools[#delPools + 1] = assignedBefore
      end
      if assignedNow and assignedBefore ~= assignedNow then
        setPools[#setPools + 1] = assignedNow
        setPools[#setPools + 1] = slot
      end
      if poolBefore ~= '' then
        poolOf(poolBefore).isChanged = true
      end
    end
  end
  readChunks(fields)
  for _, one in ipairs(flips) do
    flip(one[1], one[2], one[3])
  end
  packPools(setPools, delPools)
  callWith('HSET', slotsKey, set)
  callWith('HDEL', slotsKey, del)
  callWith('ZADD', dueKey, due)
  callWith('ZREM', dueKey, undue)
  -- An owner's slot may be let go of and assigned anew in one script.
  callWith('HDEL', poolsKey, delPools)
  callWith('HSET', poolsKey, setPools)
  if dueStale then
    nextDue = tonumber(redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  fields = {}
  if dueStale or #changed > 0 then
    fields = { 'count', count, 'fence', string.format('%d', fence) }
    if nextDue ~= nextDueBefore then
      fields[5], fields[6] = 'nextDue', nextDue
    end
    if indexed ~= indexedBefore then
      fields[#fields + 1] = 'indexed'
      fields[#fields + 1] = indexed
    end
  end
  if charged then
    fields[#fields + 1] = 'usage'
    fields[#fields + 1] = charged
  end
  publish(fields)
end
