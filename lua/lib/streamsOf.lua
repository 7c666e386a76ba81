-- Returns the sorted set that has the lease of an event stream. Takes the credential that opened the stream
-- (admit.lua). Streams of sessions do not count towards the tier's limit, so they have a set of their own.
local function streamsOf(credential)
  return string.sub(credential, 1, 8) == 'session:' and sessionStreamsKey or streamsKey
end
