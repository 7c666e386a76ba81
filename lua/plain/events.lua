-- The events of a plain request. lua/lib/publish.lua describes a message, lua/lib/emit.lua an event.
local events = {}
local listed, nowMs, listenUntil, messages, publisher, label

-- Takes what tenant.begin() has read, and the time in ms. Returns false if the last stream's lease has lapsed: then the
-- general way must note what the streams miss.
function events.begin(found, ms)
  listed, nowMs = {}, ms
  listenUntil, messages, publisher = tonumber(found[11] or 0), tonumber(found[12] or 0), found[14] or ''
  events.isHeard = listenUntil > nowMs
  label = found[1] ~= '' and found[1]
  return events.isHeard or listenUntil == 0
end

-- Returns a text as JSON. Names contain no control characters.
local function quote(text)
  if string.find(text, '["\\]') then
    text = string.gsub(text, '["\\]', '\\%0')
  end
  return '"' .. text .. '"'
end

local function key()
  return label and quote(label) or 'null'
end

-- Returns a resource type as JSON: '' is the default one.
local function typeOf(type)
  return type == '' and '"UserDefined"' or quote(type)
end

function events.reserved(name, requester, type, fence, expiresAt)
  listed[#listed + 1] = '{"type":"RESERVED","expiresAt":' .. (expiresAt > 0 and expiresAt or 'null') ..
    ',"requestType":"RESERVE","explanation":"ACQUIRED","resourceType":' .. typeOf(type) .. ',"apiKeyLabel":' .. key() ..
    ',"acquiredSlots":null,"fencingToken":' .. fence .. ',"resource":' .. quote(name) .. ',"requester":' ..
    quote(requester) .. '}'
end

function events.reserveFailed(name, requester, type)
  listed[#listed + 1] = '{"type":"RESERVE_FAILED","requestType":"RESERVE","explanation":"ALREADY_HELD","resourceType":' ..
    typeOf(type) .. ',"apiKeyLabel":' .. key() .. ',"resource":' .. quote(name) .. ',"requester":' .. quote(requester) ..
    '}'
end

function events.unreserved(name, requester, type)
  listed[#listed + 1] =
    '{"type":"UNRESERVED","requestType":"UNRESERVE","explanation":"RELINQUISHED","resourceType":' .. typeOf(type) ..
    ',"apiKeyLabel":' .. key() .. ',"actor":' .. quote(label and 'key:' .. label or 'key') .. ',"resource":' ..
    quote(name) .. ',"requester":' .. quote(requester) .. '}'
end

-- Adds the tenant's fields that the events need: field, value, ...
function events.fields(fields)
  if listed[1] then
    messages = messages + 1
    fields[#fields + 1], fields[#fields + 2] = 'messages', messages
  end
end

-- Publishes the events in one message. `tenantKey` ends with the name of the hash.
function events.publish(tenantKey)
  if listed[1] then
    redis.call(
      'SPUBLISH', string.sub(tenantKey, 1, -7) .. 'events',
      'v2 ' .. messages .. ' ' .. publisher .. ' ' .. nowMs .. '\n' .. table.concat(listed, '\n')
    )
  end
end
return events
