-- Publishes events. A script collects them, and publishes them in one message after it has changed the state. So events
-- are in the order of the changes. If the tenant has no open stream, no event is built.
--
-- A message is the line 'v2 <number> <publisher> <ms>', then a line for each event:
--   number     counts the tenant's messages, so that a stream notices a gap
--   publisher  the Redis process at which streams were opened. A replaced primary that has not noticed it yet would go
--              on with the same numbers; the publisher tells its messages apart
--   ms         the time of the events, since 1970 UTC
-- An event's line is a JSON object with the fields of its type (src/contract/events.ts) except tenantId and timestamp.
-- A field that does not apply is null. The object begins with type and then, if it has one, expiresAt. expiresAt is in
-- ms, also in changes.
-- src/events/message.ts turns a message into the text of streams.
--@include clock
--@include tenant
local events = {}
-- True if an event was dropped because the last stream's lease had lapsed. If the clock is set back, that lease would
-- be valid again, and its stream would miss the event. So publish() ends the lease and skips a number.
local lapsed = false

-- Writes fields of the tenant's hash, given as an array field, value, ..., and publishes the events that were emitted.
local function publish(fields)
  local hasEvents = #events > 0
  if hasEvents or lapsed then
    tenant.messages = tenant.messages + 1
    fields[#fields + 1] = 'messages'
    fields[#fields + 1] = tenant.messages
  end
  if lapsed then
    fields[#fields + 1] = 'listenUntil'
    fields[#fields + 1] = 0
    lapsed = false
  end
  if #fields > 0 then
    redis.call('HSET', tenantKey, unpack(fields))
  end
  if hasEvents then
    redis.call(
      'SPUBLISH', tenant.base .. 'events',
      'v2 ' .. tenant.messages .. ' ' .. tenant.publisher .. ' ' .. nowMs .. '\n' .. table.concat(events, '\n')
    )
    events = {}
  end
end
