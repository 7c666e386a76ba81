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
--@include tenant
local events = {}
local listening = listenUntil > nowMs
-- Whether an event was dropped because the last stream's lease had lapsed. That lease must not come back to life, as it
-- would if the clock were set back: it is ended, and a number is skipped.
local lapsed = false
-- The fields that events of one kind share, as JSON, by the kind.
local sharedFields = {}

-- A name as JSON. Names hold no control characters.
local function quote(text)
  if string.find(text, '["\\]') then
    text = string.gsub(text, '["\\]', '\\%0')
  end
  return '"' .. text .. '"'
end

local function quoteOrNull(text)
  return text and text ~= '' and quote(text) or 'null'
end

-- Adds an event with these fields, each nil if it does not apply:
--   requestType, explanation, apiKeyLabel ('' none), resourceType ('' the default type)
--   resource, requester
--   fencingToken (digits), expiresAt (ms, 0 never), acquiredSlots (JSON): of a reservation that was made or renewed
--   method, changes (JSON): of a transaction
--   limitType, limit: of a limit that was reached
local function emit(type, fields)
  if not listening then
    lapsed = listenUntil > 0
    return
  end
  local kind = table.concat({
    type, fields.requestType or '', fields.explanation or '', fields.resourceType or '\n', fields.apiKeyLabel,
  }, '\n')
  local shared = sharedFields[kind]
  if not shared then
    shared = '"requestType":' .. quoteOrNull(fields.requestType) .. ',"explanation":' ..
      quoteOrNull(fields.explanation) .. ',"resourceType":' ..
      quoteOrNull(fields.resourceType == '' and 'UserDefined' or fields.resourceType) .. ',"apiKeyLabel":' ..
      quoteOrNull(fields.apiKeyLabel)
    sharedFields[kind] = shared
  end
  local event = '{"type":"' .. type .. '",'
  if fields.fencingToken then
    event = event .. '"expiresAt":' .. (fields.expiresAt > 0 and fields.expiresAt or 'null') .. ',' .. shared ..
      ',"acquiredSlots":' .. (fields.acquiredSlots or 'null') .. ',"fencingToken":' .. fields.fencingToken
  else
    event = event .. shared
  end
  if fields.resource then
    event = event .. ',"resource":' .. quote(fields.resource) .. ',"requester":' .. quote(fields.requester)
  end
  if fields.changes then
    event = event .. ',"method":' .. quote(fields.method) .. ',"changes":' .. fields.changes
  elseif fields.limitType then
    event = event .. ',"limitType":' .. quote(fields.limitType) .. ',"limit":' .. fields.limit
  end
  events[#events + 1] = event .. '}'
end

-- Writes fields of the tenant's hash, and publishes the events that were emitted. Takes fields and values, alternately.
local function publish(fields)
  local hasEvents = #events > 0
  if hasEvents or lapsed then
    messages = messages + 1
    fields[#fields + 1] = 'messages'
    fields[#fields + 1] = messages
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
      'SPUBLISH', base .. 'events',
      'v2 ' .. messages .. ' ' .. publisher .. ' ' .. nowMs .. '\n' .. table.concat(events, '\n')
    )
    events = {}
  end
end
