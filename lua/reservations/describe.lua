-- Describes the slots of a reservation to its requester, as its record and its results have it.
local naming = require('definitions/names')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local describe = {}
-- What slots() returns for a SHARED reservation of a plain name.
describe.SHARED = '{"m":"SHARED"}'

-- Returns the index of a slot; -1 if it is a resource's only slot, held since the pool had that capacity.
local function indexOf(slot)
  local _, index = pools.slotIndex(slot)
  return index or -1
end

-- Returns the slots that an entry for several slots has taken, in index order.
local function severalSlots(entry)
  local list, last = { entry.at, unpack(entry.further) }, -1
  for _, slot in ipairs(list) do
    local index = indexOf(slot)
    if index < last then
      table.sort(list, function(a, b)
        return indexOf(a) < indexOf(b)
      end)
      break
    end
    last = index
  end
  return list
end

-- Returns the slots of a plan's blockers, each once; nil if there are none.
local function blockersIn(entries)
  local blockers, isListed
  for _, entry in ipairs(entries) do
    if entry.role == 'blocker' then
      blockers, isListed = blockers or {}, isListed or {}
      if not isListed[entry.at] then
        isListed[entry.at] = true
        blockers[#blockers + 1] = entry.at
      end
    end
  end
  return blockers
end

-- Returns the slots of pools that a plan has taken, by pool, without blockers; and those of its entry for several
-- slots. Returns nil for what there is none of.
local function slotsIn(entries)
  local slots, several
  for _, entry in ipairs(entries) do
    if entry.role ~= 'blocker' and registry.definition(entry.resource).capacity > 1 then
      slots = slots or {}
      several = entry.count and severalSlots(entry) or several
      slots[entry.resource] = entry.count and several[1] or entry.at
    end
  end
  return slots, several
end

-- Returns true if an entry has taken one slot of a pool, as most do, whose name stands in JSON as it is: cjson escapes
-- these characters, which few names have.
local function isOneSlot(entry)
  return not entry.isShared and not entry.count and not string.find(entry.at, '[%c"\\/]')
end

-- Returns JSON that describes a reservation's slots to its requester: s (acquiredSlots), b (acquiredBlockers), p
-- (reservedAtPath), o (slots) and m (SHARED). A field that does not apply is left out; returns '' if none applies.
function describe.slots(entries, resource, isShared)
  local own = registry.definition(resource)
  local isAlone = #entries == 1 and (not own or own.parent == '')
  if not own or isAlone and own.capacity == 1 then
    return isShared and describe.SHARED or ''
  elseif isAlone and isOneSlot(entries[1]) then
    return '{"s":{"' .. resource .. '":"' .. entries[1].at .. '"}}'
  end
  local slots, several = slotsIn(entries)
  return cjson.encode({
    s = slots, b = blockersIn(entries), p = own.parent ~= '' and naming.pathOf(resource) or nil, o = several,
    m = isShared and 'SHARED' or nil,
  })
end

return describe
