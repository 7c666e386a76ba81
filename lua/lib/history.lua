-- Writes the history of ended reservations and waits (docs/specification.md#history), in the step that ends them.
--   history   stream; each entry has up to 10 fields, in the order in which they ended. Of a reservation, the name of
--             the field says how it ended: R released by its holder, E expired, T taken away, S ended with its session,
--             X ended by a reset (commands/history/keepReset.lua). The value is the slot, a line break, when it ended
--             in ms, a blank, the actor ('' if nobody but its holder ended it), a line break, and its record as it was
--             stored (codec.lua; leanRecord.lua). The field of a wait that came to nothing is W; the value is JSON
--             (noteWait in waiting/endings.lua).
-- src/engine/history/pastEntry.ts reads it. A tenant whose tier keeps no history has none. The oldest entries are
-- dropped once there are more than the tier keeps; with a database, a worker moves them there before.
--@include clock
--@include codec
--@include limits

-- howEnded[fencing token]: {field, actor} of a reservation that its holder did not release. past: what to write: field,
-- value, ... Both are nil until something ends. commit.lua adds reservations, and writes.
local howEnded, past
