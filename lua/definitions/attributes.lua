-- The attributes of resources and of their slots (docs/specification.md#attributes). Scripts know a set of them as
-- JSON, and only pass it on. The hash `definitions` has, for each resource with attributes,
--   \5<name>            the number of slots for which it was given sets, a space, and its own set, '' none
--   \5<name>\n<number>  the set of a slot; absent if that is empty. So a reserve reads that of its slot only
-- The field `attributes` of a definition, nil until it is read, is a table:
--   own    the set of the resource itself, '' none
--   count  the number of slots for which sets were given
--   slots  if this call has changed them: the sets, an array of `count`
local keys = require('frame/keys')
local registry = require('definitions/definitions')
local work = require('frame/work')
local attributes = {}
-- The attributes of a resource that has none. Nothing changes them.
local NONE = { own = '', count = 0 }
local EMPTY = '{}'
-- The most slots that a pool may have whose slots have attributes, and the most bytes of keys and values of a
-- definition (src/contract/attributes.ts).
attributes.MAX_SLOTS, attributes.MAX_BYTES = 1000, 65536

local function slotField(name, slotNumber)
  return '\5' .. name .. '\n' .. slotNumber
end

-- Spends the work of passing on texts of so many bytes.
function attributes.spendOn(size)
  work.spend(size / 1000)
end

-- Returns the attributes of a resource.
function attributes.of(name)
  local one = registry.definition(name)
  if not one or not one.hasAttributes then
    return NONE
  elseif not one.attributes then
    local count, own = string.match(redis.call('HGET', keys.definitions, '\5' .. name) or '0 ', '^(%d+) (.*)$')
    one.attributes = { own = own, count = tonumber(count) }
    work.spend(2)
    attributes.spendOn(#own)
  end
  return one.attributes
end

-- Returns the sets of a resource's slots with these numbers, at most 1,000 of them. A missing one is '{}'.
local function setsOf(name, slotNumbers)
  if #slotNumbers == 0 then
    return {}
  end
  local fields = {}
  for i, slotNumber in ipairs(slotNumbers) do
    fields[i] = slotField(name, slotNumber)
  end
  local found, size = redis.call('HMGET', keys.definitions, unpack(fields)), 0
  for i = 1, #fields do
    found[i] = found[i] or EMPTY
    size = size + #found[i]
  end
  work.spend(2 + #fields * (2 + #name / 250))
  attributes.spendOn(size)
  return found
end

-- Returns the sets of slots, in the order of their numbers: of those for which some were given.
function attributes.slotsOf(name)
  local all = attributes.of(name)
  if all.slots then
    return all.slots
  end
  local slotNumbers = {}
  for i = 1, all.count do
    slotNumbers[i] = i - 1
  end
  return setsOf(name, slotNumbers)
end

-- Returns the sets of slots with these numbers, an array of at most 1,000; those of others than the resource has are
-- empty.
function attributes.slotsAt(name, slotNumbers)
  local all, wanted, placeOf = attributes.of(name), {}, {}
  local sets = {}
  for i, slotNumber in ipairs(slotNumbers) do
    sets[i] = EMPTY
    if slotNumber < all.count then
      wanted[#wanted + 1] = slotNumber
      placeOf[#wanted] = i
    end
  end
  for i, set in ipairs(setsOf(name, wanted)) do
    sets[placeOf[i]] = set
  end
  return sets
end

-- Returns the attributes that a resource will have, which has so many slots then, 0 for a group: its own set and those
-- of its slots, nil as they are. Sets of slots that it no longer has are dropped.
function attributes.changed(name, slots, own, sets)
  local before = attributes.of(name)
  if own then
    own = own ~= EMPTY and own or ''
    work.spend(2 + #own / 300)
  end
  if sets then
    work.spend(#sets * (1 + #name / 500))
    for _, set in ipairs(sets) do
      attributes.spendOn(#set)
    end
  end
  local count = sets and #sets or math.min(before.count, slots)
  if not own and not sets and count == before.count then
    return before
  end
  work.spend(before.count - math.min(count, before.count))
  return { own = own or before.own, count = count, slots = sets or before.slots }
end

-- Returns true if there are any.
function attributes.areAny(all)
  return all.own ~= '' or all.count > 0
end

-- Returns the bytes of the keys and values of a set.
local function sizeOf(set)
  local size = 0
  for key, value in pairs(set ~= '' and cjson.decode(set) or {}) do
    size = size + #key + #value
  end
  work.spend(1 + #set / 200)
  return size
end

-- Returns true if the attributes of a resource and those of its slots, of which one was checked before, have too many
-- bytes together.
function attributes.areTooMany(name)
  local all = attributes.of(name)
  if all.own == '' or all.count == 0 then
    return false
  end
  local size = sizeOf(all.own)
  for _, set in ipairs(attributes.slotsOf(name)) do
    size = size + sizeOf(set)
  end
  return size > attributes.MAX_BYTES
end

-- Adds the fields to set and to delete. Takes the attributes before and after.
function attributes.write(writes, name, before, after)
  local set, del = writes.set, writes.del
  before, after = before or NONE, after or NONE
  if before == after then
    return
  elseif attributes.areAny(after) then
    set[#set + 1] = '\5' .. name
    set[#set + 1] = after.count .. ' ' .. after.own
  elseif attributes.areAny(before) then
    del[#del + 1] = '\5' .. name
  end
  for i = 1, after.slots and after.count or 0 do
    if after.slots[i] ~= EMPTY then
      set[#set + 1] = slotField(name, i - 1)
      set[#set + 1] = after.slots[i]
    elseif i <= before.count then
      del[#del + 1] = slotField(name, i - 1)
    end
  end
  for i = after.count + 1, before.count do
    del[#del + 1] = slotField(name, i - 1)
  end
end

return attributes
