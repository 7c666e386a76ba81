-- Writes the history of ended reservations and waits (docs/specification.md#history), in the step that ends them.
--   history   stream; each entry has up to 10 fields, in the order in which they ended. Of a reservation, the name of
--             the field says how it ended: R released by its holder, E expired, T taken away, S ended with its session,
--             X ended by a reset (verbs/history/keepReset.lua). The value is the slot, a line break, when it ended
--             in ms, a blank, the actor ('' if nobody but its holder ended it), a line break, and its record as it was
--             stored (slots/codec.lua; history/ended.lua). The field of a wait that came to nothing is W; the value is
--             JSON (noteWait in waiting/grant.lua).
-- src/engine/history/pastEntry.ts reads it. A tenant whose tier keeps no history has none. The oldest entries are
-- dropped once there are more than the tier keeps; with a database, a worker moves them there before.
local codec = require('slots/codec')
local history = {}

-- Leaves out of a long record what the history does not need: the plan, the blockers, and the names of slots after the
-- first 100. Takes a slot and its packed record. Returns the record that the history gets.
function history.leanRecord(slot, packed)
  if #packed > 600 then
    local lean = codec.unpackRecord(slot, packed)
    local parts = lean.details == '' and {} or cjson.decode(lean.details)
    local details = { x = parts.x, o = parts.o and { unpack(parts.o, 1, math.min(#parts.o, 100)) }, m = parts.m }
    lean.plan, lean.details = '', next(details) and cjson.encode(details) or ''
    packed = codec.pack(slot, lean)
  end
  return packed
end

function history.begin()
  -- howEnded[fencing token]: {field, actor} of a reservation that its holder did not release. past: what to write:
  -- field, value, ... Both are nil until something ends. frame/commit.lua adds reservations, and writes.
  history.howEnded, history.past = nil, nil
end

return history
