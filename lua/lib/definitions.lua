-- The tenant's definitions, as this script sees and changes them. One hash holds, for each registered name,
--   <name>     what every look at it needs, packed: a version byte, capacity, flags (1 pooled, 2 it has blockers),
--              parent ('' none)
--   \1<name>   its blockers, with '\n' between; absent if it has none
--   \2<name>   ms until which it must not be reserved, since it may be about to be deleted (delete.lua)
-- and a long value, so that Redis does not keep few definitions as a list that each look has to walk.
-- Here a definition is a table:
--   capacity     its number of slots
--   parent       the resource above it in the tree, '' none
--   pooled       true if it has more than one slot, or if slots are still held that it had as such
--   hasBlockers  whether there are any; blockersOf() reads them
--   blocks       array of their names, once they are known
--@include slots
local DEFINITION, VERSION = '>BI4Bs', 1
local UNLISTED, LONG_VALUE = '\3', string.rep(' ', 65)
local defined = {}

local function packDefinition(one)
  local flags = (one.pooled and 1 or 0) + (one.hasBlockers and 2 or 0)
  return struct.pack(DEFINITION, VERSION, one.capacity, flags, one.parent)
end

local function unpackDefinition(packed)
  local _, capacity, flags, parent = struct.unpack(DEFINITION, packed)
  return { capacity = capacity, parent = parent, pooled = flags % 2 == 1, hasBlockers = flags >= 2 }
end

-- The lines of a text, an array.
local function lines(text)
  local found = {}
  for line in string.gmatch(text, '[^\n]+') do
    found[#found + 1] = line
  end
  return found
end

-- Reads definitions, except those already known. Takes an array of names.
local function readDefinitions(names)
  if definitions == 0 then
    return
  end
  local missing = {}
  for _, name in ipairs(names) do
    if defined[name] == nil then
      defined[name] = false
      missing[#missing + 1] = name
    end
  end
  for from = 1, #missing, 1000 do
    local last = math.min(from + 999, #missing)
    spend(2 * (last - from + 1))
    local found = redis.call('HMGET', definitionsKey, unpack(missing, from, last))
    for i, packed in ipairs(found) do
      defined[missing[from + i - 1]] = packed and unpackDefinition(packed)
    end
  end
end

-- The definition of a name; false if there is none.
local function definition(name)
  local found = defined[name]
  if found == nil then
    found = false
    if definitions > 0 then
      spend(2)
      local packed = redis.call('HGET', definitionsKey, name)
      found = packed and unpackDefinition(packed)
    end
    defined[name] = found
  end
  return found
end

-- The blockers that a resource declares, an array of names.
local function blockersOf(name)
  local one = definition(name)
  if not one or not one.hasBlockers then
    return {}
  end
  if not one.blocks then
    local text = redis.call('HGET', definitionsKey, '\1' .. name) or ''
    one.blocks = lines(text)
    spend(2 + #one.blocks / 4 + #text / 200)
  end
  return one.blocks
end

-- The path of a registered resource, its own name included, with '>' between.
local paths = {}
local function pathOf(name)
  local path = paths[name]
  if not path then
    local parent = definition(name).parent
    path = parent ~= '' and definition(parent) and pathOf(parent) .. '>' .. name or name
    spend(0.5 + #path / 500)
    paths[name] = path
  end
  return path
end

-- The last segment of a name that has the form of a path; nil or false if it has not.
local function lastSegment(name)
  return string.find(name, '>', 1, true) and string.match(name, '^.*>([^>]+)$')
end

-- What a name means when it is reserved, checked or released. Returns the resource and, if the name is that of one slot
-- of a pool, the slot; nil if it is not valid. Blockers need no registration, whatever the tenant's setting: those who
-- declare them have chosen them.
local function resolve(name, isBlocker)
  if definitions > 0 then
    if definition(name) then
      return name
    end
    local pool, index = slotIndex(name)
    local whole = pool and definition(pool)
    if whole and whole.capacity > 1 then
      if index < whole.capacity then
        return pool, name
      end
      return nil
    end
    local last = lastSegment(name)
    if last and definition(last) then
      return pathOf(last) == name and last or nil
    end
  end
  if requireRegistration and not isBlocker then
    return nil
  end
  return name
end

-- Why a name is not valid, as an explanation.
local function whyNotValid(name)
  local pool = slotIndex(name)
  local whole = pool and definition(pool)
  if whole and whole.capacity > 1 then
    return string.format('NOT_VALID: %s has %d slots, %s_0 to %s_%d', pool, whole.capacity, pool, pool, whole.capacity - 1)
  end
  local last = lastSegment(name)
  if last and definition(last) then
    spend(#pathOf(last) / 100)
    return 'NOT_VALID: ' .. last .. ' is registered as ' .. pathOf(last)
  end
  return 'NOT_VALID: ' .. name .. ' is not registered, and this tenant allows only registered resources'
end

-- Reads the definitions that names may refer to, all at once. Takes an array.
local function readMeanings(names)
  if definitions == 0 then
    return
  end
  local wanted = {}
  for _, name in ipairs(names) do
    spend(0.5 + #name / 200)
    wanted[#wanted + 1] = name
    wanted[#wanted + 1] = (slotIndex(name))
    wanted[#wanted + 1] = lastSegment(name) or nil
  end
  readDefinitions(wanted)
end

-- Reads what the first look at each of these names needs: its definition and its slot. Takes an array of names.
local function readNames(names)
  readMeanings(names)
  read(names)
end

-- Whether a definition may be about to be deleted: then nothing of it is given out.
local function isClosing(name)
  if closing <= nowMs then
    return false
  end
  spend(1)
  return tonumber(redis.call('HGET', definitionsKey, '\2' .. name) or 0) > nowMs
end
