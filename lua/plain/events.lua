-- The events of a plain request. lua/events/events.lua describes a message, lua/events/events.lua an event.
local events = {}
local tenant = require('plain/tenant')
local listed, nowMs, keyLabel

-- Takes the time in ms, after tenant.begin(). Returns true if a stream has a lease. Only then are events wanted.
function events.begin(ms)
  listed, nowMs, keyLabel = {}, ms, nil
  return tenant.listenUntil > ms
end

-- Returns a text as JSON. Names contain no control characters.
local function quote(text)
  if string.find(text, '["\\]') then
    text = string.gsub(text, '["\\]', '\\%0')
  end
  return '"' .. text .. '"'
end

-- Returns the label of the key as JSON.
local function key()
  keyLabel = keyLabel or tenant.label ~= '' and quote(tenant.label) or 'null'
  return keyLabel
end

-- Returns a resource type as JSON: '' is the default one.
local function typeOf(type)
  return type == '' and '"UserDefined"' or quote(type)
end

function events.reserved(name, requester, type, fence, expiresAt)
  listed[#listed + 1] = '{"type":"RESERVED","expiresAt":' .. (expiresAt > 0 and expiresAt or 'null') ..
    ',"requestType":"RESERVE","explanation":"ACQUIRED","resourceType":' .. typeOf(type) .. ',"apiKeyLabel":' .. key() ..
    ',"acquiredSlots":null,"fencingToken":' .. string.format('%d', fence) .. ',"resource":' .. quote(name) ..
    ',"requester":' .. quote(requester) .. '}'
end

function events.reserveFailed(name, requester, type)
  listed[#listed + 1] = '{"type":"RESERVE_FAILED","requestType":"RESERVE","explanation":"ALREADY_HELD",' ..
    '"resourceType":' .. typeOf(type) .. ',"apiKeyLabel":' .. key() .. ',"resource":' .. quote(name) ..
    ',"requester":' .. quote(requester) ..
    '}'
end

function events.unreserved(name, requester, type)
  local actor = tenant.label == '' and 'key' or 'key:' .. tenant.label
  listed[#listed + 1] =
    '{"type":"UNRESERVED","requestType":"UNRESERVE","explanation":"RELINQUISHED","resourceType":' .. typeOf(type) ..
    ',"apiKeyLabel":' .. key() .. ',"actor":' .. quote(actor) .. ',"resource":' .. quote(name) .. ',"requester":' ..
    quote(requester) .. '}'
end

-- Returns true if there are events to publish.
function events.areAny()
  return listed[1] ~= nil
end

-- Publishes the events in one message, with its number and publisher. `tenantKey` ends with the name of the hash.
function events.publish(tenantKey, number, publisher)
  redis.call(
    'SPUBLISH', string.sub(tenantKey, 1, -7) .. 'events',
    string.format('v2 %d ', number) .. publisher .. string.format(' %d\n', nowMs) ..
      (listed[2] and table.concat(listed, '\n') or listed[1])
  )
end
return events
