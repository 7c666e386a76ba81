-- Finds what a script changes in the pools hash (slots/pools.lua, slots/pools.lua).
local bytes = require('limits/bytes')
local keys = require('frame/keys')
local pools = require('slots/pools')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local poolFields = {}

-- Adds the changed pools and chunks to the fields to set and to delete.
local function addPools(set, del)
  for name, pool in pairs(pools.pools) do
    if pool.held == 0 then
      if pool.stored > 0 then
        del[#del + 1] = name
      end
    elseif pool.held ~= pool.stored or pool.isChanged then
      set[#set + 1] = name
      set[#set + 1] = struct.pack(pools.POOL, pool.held, pool.from)
    end
  end
  for _, field in ipairs(pools.dirtyChunks) do
    local chunk = pools.chunks[field]
    local last = pools.CHUNK_BYTES
    while last > 0 and chunk[last] == 0 do
      last = last - 1
    end
    if last == 0 then
      del[#del + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = string.char(unpack(chunk, 1, last))
    end
  end
end

-- Returns the fields of the pools hash to set and to delete: assigned slots, pools and bitmaps.
function poolFields.poolFields()
  local set, del, marks, fields = {}, {}, {}, {}
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    local poolBefore, pool = before and before.pool or '', record and record.pool or ''
    if not before ~= not record or poolBefore ~= pool then
      local name, index = pools.slotIndex(slot)
      -- account() has marked the slots that pools got.
      if name and name ~= pool then
        marks[#marks + 1] = { name, index, record ~= false }
        fields[#fields + 1] = pools.chunkField(name, math.floor(index / pools.CHUNK_SLOTS))
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
        pools.poolOf(poolBefore).isChanged = true
      end
    end
  end
  pools.readChunks(fields)
  for _, mark in ipairs(marks) do
    pools.markSlot(mark[1], mark[2], mark[3])
  end
  addPools(set, del)
  return set, del
end

-- What a search for a resource that fits (reservations/match.lua) has noted, so that it reads little. Most tenants have
-- no labels, and make none of this. The index of definitions (definitions/redefine.lua) has these members, where
-- <resets> has 10 digits, so that a reset drops them all:
--   h<resets>\n<key>=<value>\n<name>
--     The resource has this label, and all its slots are held. Only a search adds this, for what it has passed, and the
--     release of a slot removes it. So a resource can be held without it.
--   m<resets>\n<requester>\n<match>\n<fence, 16 digits>\n<slot>
--     A reservation that was made by a match, of which <match> is the digest.

-- tenant.marks: further members to add, each with true, or with the slot that must be held for it; or to remove, with
-- false; nil if the tenant has no labels.
local resets

-- Returns the prefix of the members of a requester's reservations by a match.
function poolFields.matchPrefix(requester, digest)
  return 'm' .. resets .. '\n' .. requester .. '\n' .. digest .. '\n'
end

local function matchMember(record)
  return record and record.match and
    poolFields.matchPrefix(record.owner, record.match[1]) .. string.format('%016.0f', record.fence) .. '\n' .. record.slot
end

-- Removes the marks of resources that have a free slot again.
local function unmark(names)
  local fields = {}
  for i, name in ipairs(names) do
    fields[i] = '\4' .. name
  end
  for from = 1, #fields, 1000 do
    local found = redis.call('HMGET', keys.definitions, unpack(fields, from, math.min(from + 999, #fields)))
    for i, labels in ipairs(found) do
      for label in string.gmatch(labels or '', '[^\n]+') do
        tenant.marks[tenant.heldPrefix .. label .. '\n' .. names[from + i - 1]] = false
      end
    end
  end
end

-- Writes the marks that follow from the changes of this script.
function poolFields.writeMarks()
  local freedNames, isFreed = {}, {}
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    local was, is = matchMember(before), matchMember(record)
    if was and was ~= is then
      tenant.marks[was] = false
    end
    if is and was ~= is then
      tenant.marks[is] = true
    end
    -- A slot of a pool that had more may be handed on as a plain name.
    local isLost = before and not (record and record.pool == before.pool)
    local name = isLost and (before.pool ~= '' and before.pool or slot)
    if name and not isFreed[name] then
      isFreed[name] = true
      freedNames[#freedNames + 1] = name
    end
  end
  unmark(freedNames)
  local add, remove = {}, {}
  for member, isIn in pairs(tenant.marks) do
    if isIn == true or isIn and slotMap.records[isIn] then
      add[#add + 1] = 0
      add[#add + 1] = member
    elseif not isIn then
      remove[#remove + 1] = member
    end
  end
  bytes.callWith('ZREM', keys.index, remove)
  bytes.callWith('ZADD', keys.index, add)
end

function poolFields.begin()
  resets = ''
  if tenant.labelled then
    resets = string.format('%010d', redis.call('HGET', keys.tenant, 'resets') or '0')
    tenant.marks, tenant.heldPrefix = {}, 'h' .. resets .. '\n'
  end
end

return poolFields
