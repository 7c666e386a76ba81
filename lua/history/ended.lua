-- Writes the history of ended reservations and waits (docs/specification.md#history), in the step that ends them.
--   history   stream; each entry has up to 10 fields, in the order in which they ended. Of a reservation, the name of
--             the field says how it ended: R released by its holder, E expired, T taken away, S ended with its session,
--             X ended by a reset (verbs/reset.lua). The value is the slot, a line break, when it ended
--             in ms, a blank, the actor ('' if nobody but its holder ended it), a line break, and its record as it was
--             stored (slots/codec.lua; history/ended.lua). The field of a wait that came to nothing is W; the value is
--             JSON (noteWait() in waiting/endings.lua). The field of a time out of service is O; the value is JSON
--             (noteOut()).
-- src/engine/history/pastEntry.ts reads it. A tenant whose tier keeps no history has none. The oldest entries are
-- dropped once there are more than the tier keeps; with a database, a worker moves them there before.
-- Fields, both false until something ends:
--   howEnded  howEnded[fencing token]: {field, actor} of a reservation that its holder did not release
--   past      what to write: field, value, ...
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local codec = require('slots/codec')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local history = { howEnded = false, past = false }
-- Reservations and waits of one entry of the stream.
local PER_ENTRY = 10
-- A record that is longer is made leaner.
local LONG_RECORD = 600

-- Returns the time in ms as values have it.
function history.timeText(nowMs)
  return string.format('\n%d ', nowMs)
end

-- Returns the value of a field: takes the slot, timeText(), the actor and the packed record.
function history.valueOf(slot, time, actor, packed)
  return slot .. time .. actor .. '\n' .. (#packed > LONG_RECORD and codec.leanRecord(slot, packed) or packed)
end

-- Notes that a reservation has ended, if the tenant keeps a history. Takes its slot, and its record.
function history.noteEnded(slot, record)
  if tenant.limits.history == 0 then
    return
  end
  local how = history.howEnded and history.howEnded[record.fence]
  history.past = history.past or {}
  local past, n = history.past, #history.past
  past[n + 1] = how and how[1] or 'R'
  past[n + 2] = history.valueOf(slot, history.timeText(clock.nowMs()), how and how[2] or '', record.packed)
end

-- Notes that a slot is no longer out of service, if the tenant keeps a history. Takes a number that no other such
-- entry has; the resource and the slot; since when and why it was, as slots/marks.lua has it; and who ended that, nil
-- the service. The value has number, which no other entry has; resource, slot; since and at: when it began and ended,
-- in ms; requester: who took it out, and actor: who ended that ('' the service); and reason, '' none.
function history.noteOut(number, resource, slot, text, actor)
  if tenant.limits.history == 0 then
    return
  end
  local ms, by, reason = string.match(text, '^(%d*)\n([^\n]*)\n(.*)$')
  history.past = history.past or {}
  local past = history.past
  past[#past + 1] = 'O'
  past[#past + 1] = cjson.encode({
    number = string.format('%.0f', number), resource = resource, slot = slot, since = tonumber(ms) or clock.nowMs(),
    at = clock.nowMs(), requester = by or '', actor = actor or '', reason = reason or '',
  })
end

-- Adds an entry to the stream. Takes its key, how many the tenant keeps, the time in us, and the fields: name, value,
-- ... Dropping what is too old is approximate: whole nodes of the stream, now and then.
function history.send(key, kept, nowUs, ...)
  redis.call('XADD', key, '*', ...)
  if nowUs % 16 == 0 then
    redis.call('XTRIM', key, 'MAXLEN', '~', kept)
  end
end

-- Adds entries with many fields. Takes what send() takes, with a list of the fields.
function history.sendAll(key, kept, nowUs, past)
  for from = 1, #past, 2 * PER_ENTRY do
    history.send(key, kept, nowUs, unpack(past, from, math.min(from + 2 * PER_ENTRY - 1, #past)))
  end
end

-- Writes what has ended.
function history.write()
  local past = history.past
  for at = 2, #past, 2 do
    bytes.countEnded(#past[at])
  end
  history.sendAll(keys.history, tenant.limits.history, clock.nowUs(), past)
end

function history.begin()
  history.howEnded, history.past = false, false
end

return history
