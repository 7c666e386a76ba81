-- What the sorted sets of bookings have of each (bookings/records.lua).
local booked = require('bookings/booked')
local pools = require('slots/pools')
local members = {}

-- Returns the next moment of a booking, in ms: its start; of one that is delayed its end; of one that runs the time by
-- which it must be claimed, or its end. A delayed one that must be claimed has moments meanwhile, as long after each
-- other as it may take to claim it: a call that begins it and does not write the due index (limits/cap.lua) needs none.
function members.dueOf(record)
  if record.state == 'b' then
    return record.start * 1000
  elseif record.state == 'r' and record.claimWithin and not record.claimed then
    return math.min(math.max(record.start, record.begun) + record.claimWithin, record['end']) * 1000
  elseif record.state == 'd' and record.claimWithin then
    return math.min((record.tried or record.start) + record.claimWithin, record['end']) * 1000
  end
  return record['end'] * 1000
end

-- Returns the member of `booked` of a booking that is delayed.
function members.delayed(id, record)
  return string.format('d%010d', record.start) .. id .. record.resource
end

-- Returns the members of `booked` that a booking has; none if there is none.
local function membersOf(id, record)
  local found = {}
  if record then
    local at = string.format('%010d', record.start) .. id
    found[1], found[2] = 'a' .. at, 'q' .. record.requester .. '\n' .. at
    found[3] = 'r' .. record.resource .. '\n' .. at
    if record.series then
      found[#found + 1] = 'e' .. record.series .. '\n' .. at
    end
    if record.slot ~= record.resource then
      local _, slotNumber = pools.slotNumber(record.slot)
      found[#found + 1] = string.format('n%s\n%07d', record.resource, slotNumber) .. id
    end
    if record.state == 'd' then
      found[#found + 1] = members.delayed(id, record)
    end
    if record.state ~= 'r' then
      found[#found + 1] = booked.memberOf(record.slot, record.start, record['end'], id, record.requester)
    end
  end
  return found
end

-- Adds to `add` and `remove` how the members of a booking change.
function members.compare(add, remove, id, before, after)
  local isThere = {}
  for _, member in ipairs(membersOf(id, after)) do
    isThere[member] = true
  end
  for _, member in ipairs(membersOf(id, before)) do
    if not isThere[member] then
      remove[#remove + 1] = member
    end
    isThere[member] = nil
  end
  for member in pairs(isThere) do
    add[#add + 1] = 0
    add[#add + 1] = member
  end
end

return members
