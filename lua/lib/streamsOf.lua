-- The sorted set in which a stream of events has its lease: streams of sessions do not count, so they have one of their
-- own. Takes the credential that opened the stream (admit.lua).
local function streamsOf(credential)
  return string.sub(credential, 1, 8) == 'session:' and sessionStreamsKey or streamsKey
end
