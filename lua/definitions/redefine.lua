-- Changes definitions: redefine() and define() change the tables of definitions/definitions.lua, adoptSlots() moves
-- held slots into a pool that grows, and commitDefinitions() writes all that. Fields:
--   redefined[name]   the definition before the change, false for none
--   redefinedOrder    the names, in order of change
--
-- The name index is a sorted set of definitions, in byte order. It has these members:
--   n<name>                    for every registered name
--   c<parent>\n<name>          for every child of a resource; with parent '' for the roots
--   s<pool>\n<number, 7 digits> for every registered name that has the form <pool>_<number>
--   l<key>=<value>\n<name>     for every label of a resource
--   b<name>                    for every bookable resource
local attributes = require('definitions/attributes')
local bytes = require('limits/bytes')
local codec = require('slots/codec')
local keys = require('frame/keys')
local naming = require('definitions/names')
local poolFields = require('slots/poolFields')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local redefining = {}
local UNLISTED, LONG_VALUE = '\3', string.rep(' ', 65)

-- Replaces the definition of a name; false removes it.
function redefining.redefine(name, one)
  work.spend(9)
  if redefining.redefined[name] == nil then
    naming.labelsOf(name)
    attributes.of(name)
    redefining.redefined[name] = registry.definition(name)
    redefining.redefinedOrder[#redefining.redefinedOrder + 1] = name
  end
  registry.defined[name] = one
  tenant.isRedefined, tenant.redefined = true, redefining.redefinedOrder
  if one and one.hasLabels then
    -- They may be the tenant's first: settling the queue grants matches by them in this call.
    tenant.labelled, tenant.marks = true, tenant.marks or {}
  end
end

-- Adds the fields of a changed definition to those to set and to delete.
local function writeDefinition(writes, name, before, after)
  local set, del = writes.set, writes.del
  if after then
    set[#set + 1] = name
    set[#set + 1] = registry.packDefinition(after)
  else
    del[#del + 1] = name
  end
  if after and after.hasBlockers then
    set[#set + 1] = '\1' .. name
    set[#set + 1] = table.concat(after.blocks, '\n')
  elseif before and before.hasBlockers then
    del[#del + 1] = '\1' .. name
  end
end

-- Removes the marks of a resource (slots/poolFields.lua): it may have more slots now, dirty ones, or other labels.
-- Searches for dirty slots mark resources without conditions, too.
local function removeMarks(remove, name, before)
  for _, label in ipairs(before.labels) do
    poolFields.eachHeldPrefix(true, function(prefix)
      remove[#remove + 1] = prefix .. label .. '\n' .. name
    end)
  end
end

-- Adds the changes of a definition's labels.
local function writeLabels(writes, name, before, after)
  local set, del, add, remove = writes.set, writes.del, writes.add, writes.remove
  local old, new = before and before.labels or {}, after and after.labels or {}
  if tenant.labelled and old[1] then
    removeMarks(remove, name, before)
  end
  if table.concat(old, '\n') == table.concat(new, '\n') then
    return
  elseif #new > 0 then
    set[#set + 1] = '\4' .. name
    set[#set + 1] = table.concat(new, '\n')
  else
    del[#del + 1] = '\4' .. name
  end
  local isNew = {}
  for _, label in ipairs(new) do
    isNew[label] = true
  end
  for _, label in ipairs(old) do
    if not isNew[label] then
      remove[#remove + 1] = 'l' .. label .. '\n' .. name
    end
    isNew[label] = nil
  end
  for label in pairs(isNew) do
    add[#add + 1] = 0
    add[#add + 1] = 'l' .. label .. '\n' .. name
  end
end

-- Adds the members of the name index that a changed definition adds and removes.
local function writeNameIndex(writes, name, before, after)
  local add, remove = writes.add, writes.remove
  if (not before) ~= (not after) then
    local pool, slotNumber = pools.slotNumber(name)
    for _, member in ipairs({ 'n' .. name, pool and string.format('s%s\n%07d', pool, slotNumber) }) do
      if after then
        add[#add + 1] = 0
        add[#add + 1] = member
      else
        remove[#remove + 1] = member
      end
    end
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

-- Adds the member of the name index that bookable resources have.
local function writeBookable(writes, name, before, after)
  local was, is = before and before.isBookable, after and after.isBookable
  if is and not was then
    writes.add[#writes.add + 1] = 0
    writes.add[#writes.add + 1] = 'b' .. name
  elseif was and not is then
    writes.remove[#writes.remove + 1] = 'b' .. name
  end
end

-- Adds the changes of all definitions. Returns how many more there are now.
local function writeDefinitions(writes)
  local more = 0
  for _, name in ipairs(redefining.redefinedOrder) do
    local before, after = redefining.redefined[name], registry.defined[name]
    writeDefinition(writes, name, before, after)
    writeNameIndex(writes, name, before, after)
    writeBookable(writes, name, before, after)
    if before and before.hasLabels or after and after.hasLabels then
      writeLabels(writes, name, before, after)
    end
    attributes.write(writes, name, before and before.attributes, after and after.attributes)
    more = more + (after and 1 or 0) - (before and 1 or 0)
  end
  return more
end

-- Writes all changes of definitions, and the next version after `version` ('' without a database, which has no
-- versions).
function redefining.commitDefinitions(version)
  local writes = { set = {}, del = {}, add = {}, remove = {} }
  local countBefore = tenant.definitions
  local count = countBefore + writeDefinitions(writes)
  if countBefore == 0 and count > 0 then
    writes.set[#writes.set + 1] = UNLISTED
    writes.set[#writes.set + 1] = LONG_VALUE
  elseif countBefore > 0 and count == 0 then
    writes.del[#writes.del + 1] = UNLISTED
  end
  bytes.callWith('HDEL', keys.definitions, writes.del)
  bytes.callWith('HSET', keys.definitions, writes.set)
  bytes.callWith('ZREM', keys.nameIndex, writes.remove)
  bytes.callWith('ZADD', keys.nameIndex, writes.add)
  tenant.definitions = count
  if tenant.labelled then
    tenant.setFlag(tenant.HAS_LABELS, true)
  end
  bytes.addBytes()
  tenant.save(version ~= '' and { 'definitionsVersion', version + 1 } or {})
end

-- Returns a field of a definition: the new value, or what it was before if that is nil.
local function orBefore(value, before, field)
  if value == nil then
    return before and before[field] or false
  end
  return value
end

-- Returns the work of changing or dropping the conditions of all slots of a resource (definitions/conditions.lua).
function redefining.costOfConditions(one)
  local CHUNK = 38
  return one.hasConditions and CHUNK * math.ceil(one.capacity / pools.CHUNK_SLOTS) or 0
end

local function spendOnConditions(before, capacity, isGroup, isDirtied)
  if before and (before.capacity ~= capacity or before.isDirtied ~= isDirtied or isGroup) then
    work.spend(redefining.costOfConditions(before))
  end
end

-- Gives a name another definition. Takes a table: capacity, parent, blocks; and what is left as it is if nil: isGroup,
-- labels, isDirtied, isBookable, and the sets of attributes, its `own` and those of its slots (`sets`). A group has no
-- slots that could be dirty, booked or have attributes.
function redefining.define(name, new)
  local before, labelsBefore = registry.definition(name), naming.labelsOf(name)
  local capacity, blocks, labels = new.capacity, new.blocks, new.labels
  local isGroup = orBefore(new.isGroup, before, 'isGroup')
  local isDirtied = not isGroup and orBefore(new.isDirtied, before, 'isDirtied')
  if labels then
    work.spend(#labels + #labelsBefore)
  else
    labels = labelsBefore
  end
  spendOnConditions(before, capacity, isGroup, isDirtied)
  local all = attributes.changed(name, isGroup and 0 or capacity, new.own, new.sets)
  local pooled = capacity > 1 or before and before.pooled and pools.poolOf(name).held > 0 or false
  work.spend(#blocks / 2 + #name / 100)
  redefining.redefine(name, {
    capacity = capacity, parent = new.parent, blocks = blocks, hasBlockers = #blocks > 0, pooled = pooled,
    isGroup = isGroup, labels = labels, hasLabels = #labels > 0, isDirtied = isDirtied,
    hasConditions = isDirtied or before and before.hasConditions or false,
    attributes = all, hasAttributes = attributes.areAny(all),
    isBookable = not isGroup and orBefore(new.isBookable, before, 'isBookable'),
  })
end

-- Maximum number of held slots that one call moves into pools. A registration with more is refused. A copy from the
-- database leaves the rest as plain resources: the pool neither assigns nor counts them.
redefining.MAX_ADOPTED = 500

local adopted

-- Returns the lowest stored numbers i below a capacity for which <name>_<i> is held, at most limit + 1 of them.
local function heldSlotNumbers(name, capacity, limit)
  local found, stored = {}, redis.call('HLEN', keys.pools)
  local lastChunk = math.floor((capacity - 1) / pools.CHUNK_SLOTS)
  for first = 0, lastChunk, 100 do
    local fields = {}
    for chunk = first, math.min(first + 99, lastChunk) do
      fields[#fields + 1] = pools.chunkField(name, chunk)
    end
    work.spend(#fields * (0.5 + slotMap.shortHashCost(stored) + #name / 500))
    for i, packed in ipairs(redis.call('HMGET', keys.pools, unpack(fields))) do
      for at = 1, packed and #packed or 0 do
        local byte = string.byte(packed, at)
        for offset = 0, byte == 0 and -1 or 7 do
          local slotNumber = (first + i - 1) * pools.CHUNK_SLOTS + (at - 1) * 8 + offset
          if slotNumber < capacity and bit.band(byte, bit.rshift(128, offset)) ~= 0 then
            found[#found + 1] = slotNumber
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
-- pool must already be defined. Returns false if there are more of them than one call may adopt.
function redefining.adoptSlots(name)
  local capacity = registry.definition(name).capacity
  local before = redefining.redefined[name] and redefining.redefined[name].capacity or 1
  if capacity <= before or redis.call('EXISTS', keys.pools) == 0 then
    return true
  end
  local limit = redefining.MAX_ADOPTED - adopted
  local slotNumbers, slots = heldSlotNumbers(name, capacity, limit), {}
  for i = 1, math.min(limit, #slotNumbers) do
    slots[i] = name .. '_' .. slotNumbers[i]
  end
  adopted = adopted + #slots
  slotMap.readSlots(slots)
  for _, slot in ipairs(slots) do
    local unpooled = slotMap.recordAt(slot)
    if unpooled and unpooled.pool == '' then
      slotMap.setRecord(slot, codec.copyWith(unpooled, { pool = name, byName = true }))
    end
  end
  return #slotNumbers <= limit
end

function redefining.begin()
  redefining.redefined, redefining.redefinedOrder = {}, {}
  adopted = 0
end

return redefining
