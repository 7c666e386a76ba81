-- Events. A script collects them, and publishes them in one message after it has changed the state: so the order of
-- events is the order of changes. If no stream of the tenant is open, nothing is built.
--
-- A message is 'v2 <number> <publisher> <ms>' and then a line for each event:
--   number     of the message among those of its tenant, so that a stream notices a gap
--   publisher  the Redis process that streams were opened at: a primary that was replaced, and does not know it yet,
--              goes on with the same numbers
--   ms         the time of its events, since 1970 UTC
-- A line is a JSON object with the fields that events of its type have (src/contract/events.ts), null if one does not
-- apply, but neither tenantId nor timestamp. It begins with type and then, if it has one, expiresAt; this is in ms,
-- in changes too.
-- src/events/message.ts writes the text of streams from it.
--
-- Instances of the release before expect '<number> <publisher>' and the text of streams. They find no number in 'v2',
-- and end their streams as at any gap: readers connect again.
--@include clock
--@include tenant
local events = {}
-- True if an event was dropped because the last stream's lease had lapsed. That lease must not come back to life, as it
-- would if the clock were set back: publish() ends it and skips a number.
local lapsed = false

-- Writes fields of the tenant's hash, and publishes the events that were emitted. Takes fields and values, alternately.
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
