-- Publishes events. A call collects them, and publishes them in one message after it has changed the state. So events
-- are in the order of the changes. In the same step they go into the outbox (events/outbox.lua), if it wants them. No
-- event is built that neither a stream nor the outbox wants.
--
-- A message is the line 'v2 <number> <publisher> <ms>', then a line for each event:
--   number     counts the tenant's messages, so that a stream notices a gap
--   publisher  the Redis process at which streams were opened. A replaced primary that has not noticed it yet would go
--              on with the same numbers; the publisher tells its messages apart
--   ms         the time of the events, since 1970 UTC
-- An event's line is a JSON object with the fields of its type (src/contract/events.ts) except tenantId and timestamp.
-- A field that does not apply is null. The object begins with type and then, if it has them, claimBy and expiresAt.
-- Both are in ms, expiresAt also in changes.
-- src/events/message.ts turns a message into the text of streams.
-- Fields:
--   listed      the lines of the events that were emitted
--   hasReaders  false if no event needs to be built: no stream has a lease, and there is no outbox
--   isKept      true if this call has written to the outbox
local clock = require('frame/clock')
local keys = require('frame/keys')
local outbox = require('events/outbox')
local tenant = require('frame/tenant')
local events = {}
local find = string.find

-- isHeard: true if a stream is open, nil if that is not known yet; leaseEnd: tenant.listenUntil; box: the tenant's
-- outbox, nil none.
local isHeard, leaseEnd, box
-- isBoxed[i]: true if the i-th listed event goes into the outbox; nil if all do, since no stream is open. boxed: the
-- number of those that do.
local isBoxed, boxed

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

-- Writes the events that the outbox wants. Takes the key of the outbox, its most bytes, and the time in ms. The numbers
-- of the outbox have then to be saved. Returns true if the listed events have to be sent to streams.
function events.keep(key, most, nowMs)
  local listed = events.listed
  if box and boxed > 0 then
    local lines = listed
    if isBoxed and boxed < #listed then
      lines = {}
      for i = 1, #listed do
        lines[#lines + 1] = isBoxed[i] and listed[i] or nil
      end
    end
    outbox.add(key, box, most, nowMs, lines)
    boxed, events.isKept = 0, true
    isBoxed = isBoxed and {}
  end
  if isHeard then
    return listed[1] ~= nil
  elseif listed[1] then
    events.listed = {}
  end
end

-- Writes the tenant's hash, with what tenant.save() takes, and publishes the events that were emitted.
function events.publish(fields)
  local isTold = events.listed[1] and events.isListening()
  box = tenant.box
  if box and events.listed[1] then
    events.keep(keys.outbox, tenant.limits.outbox, clock.nowMs())
  end
  if isTold or lapsed then
    tenant.messages = tenant.messages + 1
  end
  if lapsed then
    tenant.listenUntil, leaseEnd, lapsed = 0, 0, false
  end
  tenant.save(fields)
  if isTold then
    events.send(keys.tenant, tenant.messages, tenant.publisher, clock.nowMs())
  end
end

-- Returns true if a stream may be open.
function events.isListening()
  if isHeard == nil then
    isHeard = leaseEnd > clock.nowMs()
  end
  return isHeard
end

-- Returns true if anybody wants events of a type: a stream, or somebody who reads the outbox. For work that is done for
-- such events only.
function events.wantsAny(type)
  return events.isListening() or tenant.box and outbox.wants(tenant.box, type, 'person:')
end

-- Returns true if anybody may read events that are emitted now.
function events.isRead()
  return box ~= nil or events.isListening()
end

-- Returns true if an event of a type must be built: a stream may be open, or the outbox wants it. Else publish() gets
-- to know that streams miss one. Takes its requester, nil none: of an event about several, one of them who is a person.
function events.isWanted(type, requester)
  if isHeard or isHeard == nil and events.isListening() then
    return true
  end
  lapsed = lapsed or leaseEnd > 0
  return box and outbox.wants(box, type, requester)
end

-- Returns the first person among the requesters of items, nil none. Nobody asks if there is no outbox.
function events.personAmong(items)
  for i = 1, box and #items or 0 do
    local requester = items[i].requester
    if string.sub(requester, 1, 7) == 'person:' then
      return requester
    end
  end
end

-- Adds the line of an event that is wanted. publish() sends it. Takes what isWanted() takes.
function events.add(line, type, requester)
  local nth = #events.listed + 1
  events.listed[nth] = line
  if isBoxed then
    isBoxed[nth] = outbox.wants(box, type, requester) or false
    boxed = boxed + (isBoxed[nth] and 1 or 0)
  elseif box then
    boxed = nth
  end
end

-- Moves a listed event to an earlier place.
function events.move(from, to)
  table.insert(events.listed, to, table.remove(events.listed, from))
  if isBoxed then
    table.insert(isBoxed, to, table.remove(isBoxed, from))
  end
end

-- Returns what stands between the quotes of a name as JSON. Names contain no control characters.
function events.escape(text)
  return (string.gsub(text, '["\\]', '\\%0'))
end

-- Returns true if JSON escapes a part of a text. Two plain searches cost less than one for a pattern.
function events.hasSpecial(text)
  return find(text, '"', 1, true) or find(text, '\\', 1, true)
end

-- Returns a name as JSON.
function events.quote(text)
  return '"' .. (events.hasSpecial(text) and events.escape(text) or text) .. '"'
end

local function quoteOrNull(text)
  return text and text ~= '' and events.quote(text) or 'null'
end

-- Returns the times of a reservation that is in force; '' for other events.
local function timesText(fields)
  if not fields.fencingToken then
    return ''
  end
  return (fields.claimBy and '"claimBy":' .. fields.claimBy .. ',' or '') ..
    '"expiresAt":' .. (fields.expiresAt > 0 and fields.expiresAt or 'null') .. ','
end

-- Returns the fields that tell of a reservation that is in force, besides the times; '' for other events.
local function madeText(fields)
  if not fields.fencingToken then
    return ''
  end
  return ',"acquiredSlots":' .. (fields.acquiredSlots or 'null') .. ',"fencingToken":' .. fields.fencingToken ..
    (fields.note and ',"note":' .. events.quote(fields.note) or '') ..
    (fields.waiting and ',"waiting":' .. fields.waiting or '')
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
--   fencingToken (digits), expiresAt (ms, 0 never), acquiredSlots (JSON): of a reservation that is in force
--   claimBy (ms): of a grant that has to be claimed
--   note: of a reservation, unless it was renewed
--   waiting: of WANTED, the number of tickets
--   method, changes (JSON): of a transaction
--   actor: of a release or a reset, who made it; of others it is never given
--   limitType, limit: of a limit that was reached
--   person: of an event about several requesters, one who is a person
function events.emit(type, fields)
  local requester = fields.requester or fields.person
  if not events.isWanted(type, requester) then
    return
  end
  local isWait, hasActor = type == 'WAITING' or type == 'WAIT_ENDED', type == 'UNRESERVED' or type == 'RESET'
  local resourceType = fields.resourceType == '' and 'UserDefined' or fields.resourceType
  events.add('{"type":"' .. type .. '",' ..
    timesText(fields) .. '"requestType":' .. quoteOrNull(fields.requestType) ..
    ',"explanation":' .. quoteOrNull(fields.explanation) .. ',"resourceType":' .. quoteOrNull(resourceType) ..
    ',"apiKeyLabel":' .. quoteOrNull(fields.apiKeyLabel) ..
    (hasActor and ',"actor":' .. quoteOrNull(fields.actor) or '') .. madeText(fields) .. namesText(fields, isWait) ..
    changesText(fields, isWait) .. '}', type, requester)
end

-- Returns the sorted set that has the lease of an event stream. Takes the credential that opened the stream
-- (frame/admission.lua). Streams of sessions do not count towards the tier's limit, so they have a set of their own.
function events.streamsOf(credential)
  return string.sub(credential, 1, 8) == 'session:' and keys.sessionStreams or keys.streams
end

-- Begins a call. Takes tenant.listenUntil, the outbox, nil none, and whether a stream is open, nil if that is not known
-- yet.
local function start(listenUntil, ofTenant, isOpen)
  if not events.listed or events.listed[1] then
    events.listed = {}
  end
  leaseEnd, box, isHeard, lapsed, events.isKept = listenUntil, ofTenant, isOpen, false, false
  isBoxed, boxed = box and listenUntil ~= 0 and {} or nil, 0
end

-- Begins a call that goes the plain way (plain/plain.lua), if anybody may read its events. Takes whether a stream is
-- open, and the outbox, nil none.
function events.beginPlain(isOpen, ofTenant)
  start(isOpen and 1 or 0, ofTenant, isOpen)
end

function events.begin()
  local hasLease = tenant.listenUntil > 0
  events.hasReaders = hasLease or tenant.box ~= nil
  start(tenant.listenUntil, tenant.box)
  if not hasLease then
    isHeard = false
  end
end

return events
