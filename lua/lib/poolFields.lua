--@rare
-- Finds what a script changes in the pools hash (pools.lua, bitmaps.lua).
--@include pools
--@include slots

-- Adds the changed pools and chunks to the fields to set and to delete.
local function addPools(set, del)
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

-- Returns the fields of the pools hash to set and to delete: assigned slots, pools and bitmaps.
local function poolFields()
  local set, del, marks, fields = {}, {}, {}, {}
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    local poolBefore, pool = before and before.pool or '', record and record.pool or ''
    if not before ~= not record or poolBefore ~= pool then
      local name, index = slotIndex(slot)
      -- account() has marked the slots that pools got.
      if name and name ~= pool then
        marks[#marks + 1] = { name, index, record ~= false }
        fields[#fields + 1] = chunkField(name, math.floor(index / CHUNK_SLOTS))
      end
    end
    if record ~= before and (poolBefore ~= '' or pool ~= '') then
      local assignedBefore = poolBefore ~= '' and not before.byName and poolBefore .. '\n' .. before.owner
      local assigned = pool ~= '' and not record.byName and pool .. '\n' .. record.owner
      if assignedBefore and assignedBefore ~= assigned then
        del[#del + 1] = assignedBefore
      end
      if assigned and assignedBefore ~= assigned then
        set[#set + 1] = assigned
        set[#set + 1] = slot
      end
      if poolBefore ~= '' then
        poolOf(poolBefore).isChanged = true
      end
    end
  end
  readChunks(fields)
  for _, mark in ipairs(marks) do
    markSlot(mark[1], mark[2], mark[3])
  end
  addPools(set, del)
  return set, del
end
