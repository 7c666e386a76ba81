-- Writes what a script has decided. Scripts that change reservations call it through finish().
--@include callWith
--@include due
--@include publish

-- Whether the earliest due time may have changed otherwise than by a new reservation.
local isDueStale = false

-- Adds the due time of a slot's reservation to the writes if it changed.
local function writeDue(writes, before, record)
  local dueBefore = before and before.token and before.expiresAt or 0
  local dueNow = record and record.token and record.expiresAt or 0
  local due, undue = writes.due, writes.undue
  if dueNow > 0 and dueNow ~= dueBefore then
    due[#due + 1] = dueNow
    due[#due + 1] = dueMember(record)
    tenant.nextDue = math.min(tenant.nextDue, dueNow)
  elseif dueNow == 0 and dueBefore > 0 then
    undue[#undue + 1] = dueMember(before)
  end
  if dueBefore > 0 and (dueNow ~= dueBefore or record.fence ~= before.fence) then
    undue[#undue + 1] = comingDueMember(before)
  end
end

-- Adds a change of pool to the writes: the owner's assigned slot, and the slot's bit in the bitmap.
local function writePool(writes, slot, before, record)
  local poolBefore, pool = before and before.pool or '', record and record.pool or ''
  if not before ~= not record or poolBefore ~= pool then
    local name, index = slotIndex(slot)
    if name then
      writes.marks[#writes.marks + 1] = { name, index, record ~= false }
      writes.chunks[#writes.chunks + 1] = chunkField(name, math.floor(index / CHUNK_SLOTS))
    end
  end
  local assignedBefore = poolBefore ~= '' and not before.byName and poolBefore .. '\n' .. before.owner
  local assigned = pool ~= '' and not record.byName and pool .. '\n' .. record.owner
  if assignedBefore and assignedBefore ~= assigned then
    writes.delPools[#writes.delPools + 1] = assignedBefore
  end
  if assigned and assignedBefore ~= assigned then
    writes.setPools[#writes.setPools + 1] = assigned
    writes.setPools[#writes.setPools + 1] = slot
  end
  if poolBefore ~= '' then
    poolOf(poolBefore).isChanged = true
  end
end

-- Adds the changed pools and chunks to the fields to set and to delete.
local function writePools(set, del)
  for name, pool in pairs(pools) do
    if pool.held == 0 then
      if pool.stored > 0 then
        del[#del + 1] = name
      end
    elseif pool.held ~= pool.stored or pool.isChanged then
      set[#set + 1] = name
      set[#set + 1] = struct.pack(POOL, pool.held, pool.from)
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

-- Writes the changes of slots, of the due set and of pools.
local function writeSlots()
  local set, del = {}, {}
  local writes = { due = {}, undue = {}, setPools = {}, delPools = {}, marks = {}, chunks = {} }
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    if record ~= before then
      if record then
        set[#set + 1] = slot
        set[#set + 1] = pack(slot, record)
      else
        del[#del + 1] = slot
      end
      writeDue(writes, before, record)
      writePool(writes, slot, before, record)
    end
  end
  readChunks(writes.chunks)
  for _, mark in ipairs(writes.marks) do
    markSlot(mark[1], mark[2], mark[3])
  end
  writePools(writes.setPools, writes.delPools)
  callWith('HSET', slotsKey, set)
  callWith('HDEL', slotsKey, del)
  callWith('ZADD', dueKey, writes.due)
  callWith('ZREM', dueKey, writes.undue)
  -- One script may release an owner's slot and assign it a new one.
  callWith('HDEL', poolsKey, writes.delPools)
  callWith('HSET', poolsKey, writes.setPools)
end

-- Writes all changes, and publishes their events. Takes the usage to charge (quota.lua), nil for none.
local function commit(usage)
  writeSlots()
  if isDueStale then
    tenant.nextDue = tonumber(redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  local fields = {}
  if isDueStale or #changed > 0 then
    fields = { 'count', tenant.count, 'fence', string.format('%d', tenant.fence) }
    if tenant.nextDue ~= tenant.nextDueBefore then
      fields[5], fields[6] = 'nextDue', tenant.nextDue
    end
    if tenant.indexed ~= tenant.indexedBefore then
      fields[#fields + 1] = 'indexed'
      fields[#fields + 1] = tenant.indexed
    end
  end
  if usage then
    fields[#fields + 1] = 'usage'
    fields[#fields + 1] = usage
  end
  publish(fields)
end
