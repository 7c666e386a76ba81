-- Writes the history of ended reservations and waits (docs/specification.md#history), in the step that ends them.
--   history   stream; each entry has one field. Of a reservation, its name says how it ended: R released by its holder,
--             E expired, T taken away, S ended with its session, X ended by a reset (commands/history/keepReset.lua).
--             The value is its slot, a line break, when it ended in ms, a blank, the actor ('' if nobody but its holder
--             ended it), a line break, and its record as it was stored (codec.lua). The field of a wait that came to
--             nothing is W; the value is JSON (noteWait in waiting/endings.lua).
-- src/engine/history/pastEntry.ts reads it. A tenant whose tier keeps no history has none. The oldest entries are
-- dropped once there are more than the tier keeps; with a database, a worker moves them there before.
--@include clock
--@include limits
--@include slots

-- howEnded[fencing token]: {field, actor} of a reservation that its holder did not release.
local howEnded = {}
-- Entries to write: field, value, ...
local past = {}

-- Takes a slot whose reservation ended, and its record as it was stored.
local function notePast(slot, before)
  local how = howEnded[before.fence]
  past[#past + 1] = how and how[1] or 'R'
  past[#past + 1] = slot .. '\n' .. nowMs .. ' ' .. (how and how[2] or '') .. '\n' .. before.packed
end

-- Appends the entries. Dropping old ones is approximate, and only done now and then: at one of 32 reservations.
local function writePast(mayTrim)
  for i = 1, #past, 2 do
    redis.call('XADD', historyKey, '*', past[i], past[i + 1])
  end
  if mayTrim then
    redis.call('XTRIM', historyKey, 'MAXLEN', '~', limits.history)
  end
end
