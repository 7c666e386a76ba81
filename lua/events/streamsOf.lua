-- Tells where the leases of event streams are.
local keys = require('frame/keys')
local streams = {}

-- Returns the sorted set that has the lease of an event stream. Takes the credential that opened the stream
-- (frame/admission.lua). Streams of sessions do not count towards the tier's limit, so they have a set of their own.
function streams.streamsOf(credential)
  return string.sub(credential, 1, 8) == 'session:' and keys.sessionStreams or keys.streams
end

return streams
