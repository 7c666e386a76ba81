-- Finds what a call changes in the pools hash (slots/pools.lua), and in the marks of searches.
--
-- Marks are what a search for a resource that fits (reservations/match.lua) has noted, so that it reads little. Most
-- tenants have no labels, and make none. The name index (definitions/redefine.lua) has these members, where
-- <resets> has 10 digits, so that a reset drops them all:
--   h<resets>\n<key>=<value>\n<name>
--     The resource has this label, and no slot of it is free and ready. Only a search adds this, for what it has
--     passed, and the release of a slot removes it, or a change of its condition. So a resource can be held without it.
--     Searches for dirty slots add the same with i, those for slots that are out of service with j.
--   m<resets>\n<requester>\n<match>\n<fence, 16 digits>\n<slot>
--     A reservation that was made by a match, of which <match> is the digest.
-- The table of the tenant has the field marks, nil if it has no labels: more members to add, each with true, or with
-- the slot that must be held for it; or to remove, with false.
local bytes = require('limits/bytes')
local conditions = require('slots/conditions')
local keys = require('frame/keys')
local pools = require('slots/pools')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local poolFields = {}
local resets

-- Returns the field of the slot that a record's owner was assigned; nil if the record is of none.
local function assignedField(record)
  return record and record.pool ~= '' and not record.byName and record.pool .. '\n' .. record.owner or nil
end

-- Adds a slot's change to the fields to set and to delete.
local function addAssigned(set, del, slot, before, record)
  local was, is = assignedField(before), assignedField(record)
  if was and was ~= is then
    del[#del + 1] = was
  end
  if is and was ~= is then
    set[#set + 1] = is
    set[#set + 1] = slot
  end
  if before and before.pool ~= '' then
    pools.poolOf(before.pool).isChanged = true
  end
end

-- Marks slots that became held or free in the bitmaps. Takes an array: slot, whether it is held, ...
local function markSlots(marks)
  local fields = {}
  for i = 1, #marks, 2 do
    local name, slotNumber = pools.slotNumber(marks[i])
    fields[#fields + 1] = pools.chunkField(name, math.floor(slotNumber / pools.CHUNK_SLOTS))
  end
  pools.readChunks(fields)
  for i = 1, #marks, 2 do
    local name, slotNumber = pools.slotNumber(marks[i])
    pools.markSlot(name, slotNumber, marks[i + 1])
  end
end

-- Marks in the bitmaps, or adds to the marks, whether a slot is held that its pool has not got. account() has marked
-- those that pools got.
local function addMark(marks, slot, before, record)
  local name, slotNumber = pools.slotNumber(slot)
  if not name or record and record.pool == name then
    return
  elseif before and before.pool == name then
    -- The chunk has been read, since the slot was taken from its pool.
    pools.markSlot(name, slotNumber, record ~= false)
  elseif not before ~= not record or before.pool ~= record.pool then
    marks[#marks + 1], marks[#marks + 2] = slot, record ~= false
  end
end

-- Returns the fields of the pools hash to set and to delete: assigned slots, pools and bitmaps.
function poolFields.poolFields()
  local set, del, marks = {}, {}, {}
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    if record ~= before then
      addAssigned(set, del, slot, before, record)
      addMark(marks, slot, before, record)
    end
  end
  if marks[1] then
    markSlots(marks)
  end
  pools.addChanges(set, del)
  return set, del
end

-- Returns the number of resets so far, as the members have it.
local function resetsText()
  resets = resets or string.format('%010d', redis.call('HGET', keys.tenant, 'resets') or '0')
  return resets
end

local KINDS = { ready = 'h', dirty = 'i', out = 'j' }

-- Returns the prefix of the members of resources that have no free slot in a condition.
function poolFields.heldPrefix(condition)
  return KINDS[condition] .. resetsText() .. '\n'
end

-- Calls visit(prefix) for each condition in which a resource may have been marked. Takes whether it has, or had, slots
-- that are not ready.
function poolFields.eachHeldPrefix(hasConditions, visit)
  visit(poolFields.heldPrefix('ready'))
  if hasConditions then
    visit(poolFields.heldPrefix('dirty'))
    visit(poolFields.heldPrefix('out'))
  end
end

-- Returns the prefix of the members of a requester's reservations by a match.
function poolFields.matchPrefix(requester, digest)
  return 'm' .. resetsText() .. '\n' .. requester .. '\n' .. digest .. '\n'
end

local function matchMember(record)
  if record and record.match then
    return poolFields.matchPrefix(record.owner, record.match[1]) .. string.format('%016.0f', record.fence) .. '\n' ..
      record.slot
  end
end

-- Notes whether a slot's reservation was made by a match.
local function noteMatch(before, record)
  local was, is = matchMember(before), matchMember(record)
  if was ~= is then
    if was then
      tenant.marks[was] = false
    end
    if is then
      tenant.marks[is] = true
    end
  end
end

-- Returns the resources that have a free slot again, or a slot in another condition; and of which of them all marks go.
local function unmarked()
  local names, hasConditions = slotMap.lostNames(), {}
  for i, name in ipairs(names) do
    hasConditions[i] = conditions.areAny(name)
  end
  for _, change in ipairs(conditions.changed) do
    names[#names + 1], hasConditions[#names + 1] = change.resource, true
  end
  return names, hasConditions
end

-- Removes the marks of resources.
local function unmark(names, hasConditions)
  local fields = {}
  for i, name in ipairs(names) do
    fields[i] = '\4' .. name
  end
  for from = 1, #fields, 1000 do
    local found = redis.call('HMGET', keys.definitions, unpack(fields, from, math.min(from + 999, #fields)))
    for i, labels in ipairs(found) do
      local place = from + i - 1
      for label in string.gmatch(labels or '', '[^\n]+') do
        poolFields.eachHeldPrefix(hasConditions[place], function(prefix)
          tenant.marks[prefix .. label .. '\n' .. names[place]] = false
        end)
      end
    end
  end
end

-- Writes the marks that follow from the changes of this call.
function poolFields.writeMarks()
  for _, slot in ipairs(slotMap.changed) do
    noteMatch(slotMap.original[slot], slotMap.records[slot])
  end
  unmark(unmarked())
  local add, remove = {}, {}
  for member, isIn in pairs(tenant.marks) do
    if isIn == true or isIn and slotMap.records[isIn] then
      add[#add + 1] = 0
      add[#add + 1] = member
    elseif not isIn then
      remove[#remove + 1] = member
    end
  end
  bytes.callWith('ZREM', keys.nameIndex, remove)
  bytes.callWith('ZADD', keys.nameIndex, add)
end

function poolFields.begin()
  resets = nil
  if tenant.labelled then
    tenant.marks = {}
  end
end

return poolFields
