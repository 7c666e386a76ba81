-- The bookings of slots that have not begun, by slot and start (docs/specification.md#bookings). The sorted set
-- `booked`, all of whose scores are 0, has a member for each:
--   s<slot>\n<start><end><id>\n<requester>
-- Start and end are in s since 1970, UTC, of 10 digits, and the id has 22 characters. One that is delayed stays there
-- until it begins or ends: its start is over then. Bookings of a slot never overlap.
local keys = require('frame/keys')
local registry = require('definitions/definitions')
local work = require('frame/work')
local booked = {}
local FORM = '^(%d%d%d%d%d%d%d%d%d%d)(%d%d%d%d%d%d%d%d%d%d)(' .. string.rep('.', 22) .. ')\n(.*)$'
-- Entries that are read at once, to find one of another requester.
local STEP = 10
-- known[slot]: the first entries of a slot, nil if they were not read.
local known

-- Returns the member of a slot's booking, whose times are in s.
function booked.memberOf(slot, startS, endS, id, requester)
  return string.format('s%s\n%010d%010d%s\n%s', slot, startS, endS, id, requester)
end

-- Returns a member as a table: start and end in s, id and requester.
local function entryOf(slot, member)
  local startS, endS, id, requester = string.match(string.sub(member, #slot + 3), FORM)
  return { start = tonumber(startS), ['end'] = tonumber(endS), id = id, requester = requester }
end

-- Returns up to STEP entries of a slot, behind a member (nil: from the first on), and the last member.
local function read(slot, after)
  local from = after and '(' .. after or '[s' .. slot .. '\n'
  local members = redis.call('ZRANGE', keys.booked, from, '(s' .. slot .. '\11', 'BYLEX', 'LIMIT', 0, STEP)
  local entries = {}
  work.spend(3 + #members)
  for i, member in ipairs(members) do
    entries[i] = entryOf(slot, member)
  end
  return entries, members[STEP]
end

-- Returns the first booking of a slot that has not begun, of another than a requester (nil: of anybody), as a table:
-- start and end in s, id and requester; nil if there is none.
function booked.firstOf(slot, requester)
  local entries, last = known[slot], nil
  if not entries then
    entries, last = read(slot)
    entries.last, known[slot] = last, entries
  end
  last = entries.last
  repeat
    for _, entry in ipairs(entries) do
      if entry.requester ~= requester then
        return entry
      end
    end
    entries = {}
    if last then
      entries, last = read(slot, last)
    end
  until #entries == 0
end

-- Returns when the first booking of a slot begins, of another than a requester (nil: of anybody), in ms; infinite if
-- there is none. A delayed one has begun.
function booked.startOf(slot, requester)
  local first = booked.firstOf(slot, requester)
  return first and first.start * 1000 or math.huge
end

-- Returns true if slots of a resource can be booked.
function booked.isBookable(resource)
  local own = registry.definition(resource)
  return own and own.isBookable or false
end

-- Notes that the bookings of a slot have changed.
function booked.forget(slot)
  known[slot] = nil
end

function booked.begin()
  known = {}
end

return booked
