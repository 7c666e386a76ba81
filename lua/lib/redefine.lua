-- Changes definitions. Scripts change the tables of definitions.lua, and write them at the end by commitDefinitions().
--
-- A sorted set indexes definitions, in byte order. It has these members:
--   n<name>                    for every registered name
--   c<parent>\n<name>          for every child of a resource; with parent '' for the roots
--   s<pool>\n<index, 7 digits> for every registered name that has the form <pool>_<index>
--   l<key>=<value>\n<name>     for every label of a resource
--@include callWith
--@include definitions
--@include labels
--@include slotNames
--@include written
local VERSION, UNLISTED, LONG_VALUE = 1, '\3', string.rep(' ', 65)
-- redefined[name]: the definition before the change, false for none. redefinedOrder: the names, in order of change.
local redefined, redefinedOrder = {}, {}

-- Replaces the definition of a name; false removes it.
local function redefine(name, one)
  spend(9)
  if redefined[name] == nil then
    labelsOf(name)
    redefined[name] = definition(name)
    redefinedOrder[#redefinedOrder + 1] = name
  end
  defined[name] = one
  tenant.isRedefined, tenant.redefined = true, redefinedOrder
end

-- Adds the fields of a changed definition to those to set and to delete.
local function writeDefinition(writes, name, before, after)
  local set, del = writes.set, writes.del
  if after then
    local flags = (after.pooled and 1 or 0) + (after.hasBlockers and 2 or 0)
    set[#set + 1] = name
    local packed = struct.pack(DEFINITION, VERSION, after.capacity, flags, after.parent)
    local more = (after.isGroup and 1 or 0) + (after.hasLabels and 2 or 0)
    set[#set + 1] = more == 0 and packed or packed .. string.char(more)
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
end

-- Adds the changes of a definition's labels. The resource may have more slots now, so it is no longer marked as held
-- (marks.lua).
local function writeLabels(writes, name, before, after)
  local set, del, add, remove = writes.set, writes.del, writes.add, writes.remove
  local old, new = before and before.labels or {}, after and after.labels or {}
  for _, label in ipairs(tenant.labelled and old or {}) do
    remove[#remove + 1] = tenant.heldPrefix .. label .. '\n' .. name
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

-- Adds the members of the index that a changed definition adds and removes.
local function writeIndex(writes, name, before, after)
  local add, remove = writes.add, writes.remove
  if not before ~= not after then
    local pool, index = slotIndex(name)
    for _, member in ipairs({ 'n' .. name, pool and string.format('s%s\n%07d', pool, index) }) do
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

-- Writes all changes of definitions, and the next version after `version` ('' without a database, which has no
-- versions).
local function commitDefinitions(version)
  local writes = { set = {}, del = {}, add = {}, remove = {} }
  local countBefore, count = tenant.definitions, tenant.definitions
  for _, name in ipairs(redefinedOrder) do
    local before, after = redefined[name], defined[name]
    writeDefinition(writes, name, before, after)
    writeIndex(writes, name, before, after)
    if before and before.hasLabels or after and after.hasLabels then
      writeLabels(writes, name, before, after)
    end
    count = count + (after and 1 or 0) - (before and 1 or 0)
  end
  if countBefore == 0 and count > 0 then
    writes.set[#writes.set + 1] = UNLISTED
    writes.set[#writes.set + 1] = LONG_VALUE
  elseif countBefore > 0 and count == 0 then
    writes.del[#writes.del + 1] = UNLISTED
  end
  callWith('HDEL', definitionsKey, writes.del)
  callWith('HSET', definitionsKey, writes.set)
  callWith('ZREM', indexKey, writes.remove)
  callWith('ZADD', indexKey, writes.add)
  local fields = { 'definitions', count }
  if version ~= '' then
    fields[3], fields[4] = 'definitionsVersion', version + 1
  end
  for _, name in ipairs(tenant.labelled and {} or redefinedOrder) do
    if defined[name] and defined[name].hasLabels then
      fields[#fields + 1] = 'labelled'
      fields[#fields + 1] = 1
      break
    end
  end
  addBytes(fields)
  redis.call('HSET', tenantKey, unpack(fields))
end
