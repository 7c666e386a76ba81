-- The outbox of a tenant: a stream of the events that its subscriptions, and the notices of persons, want
-- (docs/specification.md#outbox). A call adds its events in the step that changes the state. Only tenants with the flag
-- HAS_NOTICES have one. Its numbers are in the packed field of the tenant's hash (frame/hot.lua), as a table:
--   types, personTypes  masks of the types that are wanted: of any requester, and of those that begin with `person:`.
--                       Bit i stands for the i-th of src/domain/eventTypes.ts
--   from, to            bytes that were added before the first entry that is kept, and so far: the difference is kept
--   entries             number of entries that are kept
--   events              number of events so far, with those that found no room
--   missed              number of events since the last entry that found no room
-- An entry has one field, `e`. Its value is a line `<ms> <to> <events> <number>`, with the numbers from before it, and
-- how many events it has; then a line for each event, as in a message (events/events.lua). An entry has at most
-- 100 events, which fit into one request to a receiver; a larger event stands alone. Events are counted even if they
-- find no room: so a reader notices which ones it has missed.
local BITS = require('events/bits')
local outbox = {}
outbox.MAX_ENTRIES = 10000

-- Redis needs so many bytes for an entry, besides its value.
local ENTRY_BYTES = 64
-- In a request to a receiver, an event takes at most so many bytes besides its line; and the line grows by so much,
-- since times are longer there.
local EVENT_BYTES, LINE_PART = 512, 1.1
-- Of an entry.
local MAX_EVENTS, MAX_BYTES = 100, 262144
local band, concat, format, sub = bit.band, table.concat, string.format, string.sub

-- Returns true if an outbox wants events of a type. Takes the requester, nil none.
function outbox.wants(box, type, requester)
  local one = BITS[type]
  return band(box.types, one) ~= 0 or
    requester and sub(requester, 1, 7) == 'person:' and band(box.personTypes, one) ~= 0
end

-- Adds an entry, if there is room. Takes the key of the stream, the most bytes that it may keep, the time in ms, the
-- lines of the events, and their number.
local function write(key, box, most, nowMs, text, number)
  local value = format('%d %d %d %d\n', nowMs, box.to, box.events, number) .. text
  local size = #value + ENTRY_BYTES
  local hasRoom = box.entries < outbox.MAX_ENTRIES and box.to - box.from + size <= most
  box.events = box.events + number
  -- Redis may be full. What the call was asked to do must not fail because of that.
  if hasRoom and not redis.pcall('XADD', key, '*', 'e', value).err then
    box.to, box.entries, box.missed = box.to + size, box.entries + 1, 0
  else
    box.missed = box.missed + number
  end
end

-- Adds events: their lines, in order. Takes what write() takes.
function outbox.add(key, box, most, nowMs, lines)
  local number = #lines
  if number == 1 then
    return write(key, box, most, nowMs, lines[1], 1)
  end
  local first, size = 1, 0
  for i = 1, number do
    local more = EVENT_BYTES + LINE_PART * #lines[i]
    if i > first and (i - first >= MAX_EVENTS or size + more > MAX_BYTES) then
      write(key, box, most, nowMs, concat(lines, '\n', first, i - 1), i - first)
      first, size = i, 0
    end
    size = size + more
  end
  write(key, box, most, nowMs, concat(lines, '\n', first, number), number - first + 1)
end

-- Adds an entry without events, which shows readers that there is something to tell: they have missed events.
function outbox.mark(key, box, most, nowMs)
  write(key, box, most, nowMs, '', 0)
end

-- Returns the parts of an entry: its time in ms, bytes and events before it, the number of its events, and their lines.
function outbox.read(value)
  local ms, at, events, number, text = string.match(value, '^(%d+) (%d+) (%d+) (%d+)\n(.*)$')
  return tonumber(ms), tonumber(at), tonumber(events), tonumber(number), text
end

return outbox
