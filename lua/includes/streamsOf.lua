-- The sorted set in which a stream of events has its lease: those of sessions do not count (interface, "Events"), so they have
-- one of their own. Takes who opened it (gate.lua).
local function streamsOf(asker)
  return base .. (string.sub(asker, 1, 8) == 'session:' and 'sessionStreams' or 'streams')
end
