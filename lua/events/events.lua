-- Publishes events. A call collects them, and publishes them in one message after it has changed the state. So events
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
-- Field: listed, the lines of the events that were emitted.
local clock = require('frame/clock')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local events = {}

-- True if an event was dropped because the last stream's lease had lapsed. If the clock is set back, that lease would
-- be valid again, and its stream would miss the event. So publish() ends the lease and skips a number.
local lapsed

-- Publishes the events that were emitted. Takes the key of the tenant, which ends with the name of the hash; the number
-- of the message, and what else its first line has.
function events.send(tenantKey, number, publisher, nowMs)
  local listed, head = events.listed, string.format('v2 %d ', number) .. publisher .. string.format(' %d\n', nowMs)
  redis.call(
    'SPUBLISH', string.sub(tenantKey, 1, -7) .. 'events',
    head .. (listed[2] and table.concat(listed, '\n') or listed[1])
  )
  events.listed = {}
end

-- Writes the tenant's hash, with what tenant.save() takes, and publishes the events that were emitted.
function events.publish(fields)
  local hasEvents = events.listed[1] ~= nil
  if hasEvents or lapsed then
    tenant.messages = tenant.messages + 1
  end
  if lapsed then
    tenant.listenUntil, lapsed = 0, false
  end
  tenant.save(fields)
  if hasEvents then
    events.send(keys.tenant, tenant.messages, tenant.publisher, clock.nowMs())
  end
end

-- Returns true if a stream may be open.
function events.isListening()
  return tenant.listenUntil > 0 and tenant.listenUntil > clock.nowMs()
end

-- Returns true if a stream may be open, so that an event must be built. Else publish() gets to know that one was
-- dropped.
function events.isWanted()
  if tenant.listenUntil == 0 then
    return false
  elseif tenant.listenUntil > clock.nowMs() then
    return true
  end
  lapsed = true
  return false
end

-- Adds the line of an event. publish() sends it.
function events.add(line)
  events.listed[#events.listed + 1] = line
end

-- Returns what stands between the quotes of a name as JSON. Names contain no control characters.
function events.escape(text)
  return (string.gsub(text, '["\\]', '\\%0'))
end

-- Returns a name as JSON.
function events.quote(text)
  return '"' .. (string.find(text, '["\\]') and events.escape(text) or text) .. '"'
end

local function quoteOrNull(text)
  return text and text ~= '' and events.quote(text) or 'null'
end

-- Returns the fields that tell of a reservation that was made or renewed, besides expiresAt; '' for other events.
local function madeText(fields)
  if not fields.fencingToken then
    return ''
  end
  return ',"acquiredSlots":' .. (fields.acquiredSlots or 'null') .. ',"fencingToken":' .. fields.fencingToken ..
    (fields.note and ',"note":' .. events.quote(fields.note) or '')
end

-- Returns the fields that name a resource and its requester. Events of waits have them even if they do not apply.
local function namesText(fields, isWait)
  if fields.resource then
    return ',"resource":' .. events.quote(fields.resource) .. ',"requester":' .. events.quote(fields.requester)
  end
  return isWait and ',"resource":null,"requester":null' or ''
end

-- Returns the fields of a transaction, or of a limit. Events of waits have the first even if they do not apply.
local function changesText(fields, isWait)
  if fields.changes then
    return ',"method":' .. events.quote(fields.method) .. ',"changes":' .. fields.changes
  elseif fields.limitType then
    return ',"limitType":' .. events.quote(fields.limitType) .. ',"limit":' .. fields.limit
  end
  return isWait and ',"method":null,"changes":null' or ''
end

-- Adds an event with these fields, each nil if it does not apply. publish() sends it.
--   requestType, explanation, apiKeyLabel ('' none), resourceType ('' the default type)
--   resource, requester
--   fencingToken (digits), expiresAt (ms, 0 never), acquiredSlots (JSON): of a reservation that was made or renewed
--   note: of a reservation that was made
--   method, changes (JSON): of a transaction
--   actor: of a release or a reset, who made it; of others it is never given
--   limitType, limit: of a limit that was reached
function events.emit(type, fields)
  if not events.isWanted() then
    return
  end
  local isWait, hasActor = type == 'WAITING' or type == 'WAIT_ENDED', type == 'UNRESERVED' or type == 'RESET'
  local resourceType = fields.resourceType == '' and 'UserDefined' or fields.resourceType
  local expiresAt = fields.fencingToken and (fields.expiresAt > 0 and fields.expiresAt or 'null')
  events.add('{"type":"' .. type .. '",' ..
    (expiresAt and '"expiresAt":' .. expiresAt .. ',' or '') .. '"requestType":' .. quoteOrNull(fields.requestType) ..
    ',"explanation":' .. quoteOrNull(fields.explanation) .. ',"resourceType":' .. quoteOrNull(resourceType) ..
    ',"apiKeyLabel":' .. quoteOrNull(fields.apiKeyLabel) ..
    (hasActor and ',"actor":' .. quoteOrNull(fields.actor) or '') .. madeText(fields) .. namesText(fields, isWait) ..
    changesText(fields, isWait) .. '}')
end

-- Returns the sorted set that has the lease of an event stream. Takes the credential that opened the stream
-- (frame/admission.lua). Streams of sessions do not count towards the tier's limit, so they have a set of their own.
function events.streamsOf(credential)
  return string.sub(credential, 1, 8) == 'session:' and keys.sessionStreams or keys.streams
end

function events.begin()
  if not events.listed or events.listed[1] then
    events.listed = {}
  end
  lapsed = false
end

return events
