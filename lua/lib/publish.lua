-- Events, each a frame as streams send it. A script publishes them all at once, in one message, after it has changed
-- the state: so the order of events is the order of changes. Messages of a tenant are numbered, so that a stream
-- notices a gap: a message is '<number> <publisher>\n<frames>'. The publisher is the Redis process that streams were
-- opened at: a primary that was replaced, and does not know it yet, goes on with the same numbers. If no stream of the
-- tenant is open, nothing is built.
--@include clock
--@include tenant
local frames = {}
local listening = tenant.listenUntil > nowMs
-- Whether something went untold because the last stream's lease had lapsed. That lease must not come back to life, as
-- it would if the clock were set back: it is ended, and a number is skipped.
local lapsed = false
-- What frames of a kind have in common, by the kind: what precedes the resource, and what follows the requester.
local kinds = {}

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

-- ISO 8601 UTC of nowMs, by the calendar's 400-year cycle counted from March.
local function timestamp()
  local days = math.floor(nowMs / 86400000) + 719468
  local cycle = math.floor(days / 146097)
  local day = days - cycle * 146097
  local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
  local ofYear = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * ofYear + 2) / 153)
  local date = ofYear - math.floor((153 * month + 2) / 5) + 1
  local ms = nowMs % 86400000
  return string.format(
    '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year + cycle * 400 + (month >= 10 and 1 or 0), month < 10 and month + 3 or month - 9,
    date, math.floor(ms / 3600000), math.floor(ms / 60000) % 60, math.floor(ms / 1000) % 60, ms % 1000
  )
end

-- Adds an event. What does not apply is nil; a resource type of '' is the default one, a label of '' none; changes are
-- JSON.
local function tell(type, requestType, resource, requester, explanation, resourceType, label, method, changes, limitType, limit)
  if not listening then
    lapsed = tenant.listenUntil > 0
    return
  end
  local kind = not method and not limitType and table.concat({
    type, requestType or '', explanation or '', resourceType or '\n', label or '',
  }, '\n')
  local frame = kinds[kind]
  if not frame then
    frame = {
      'event: ' .. type .. '\ndata: {"type":"' .. type .. '","tenantId":"' .. string.match(tenant.base, '^{(.-)}') .. '","resource":',
      ',"explanation":' .. quoteOrNull(explanation) .. ',"resourceType":' ..
        quoteOrNull(resourceType == '' and 'UserDefined' or resourceType) .. ',"apiKeyLabel":' .. quoteOrNull(label) ..
        ',"requestType":' .. quoteOrNull(requestType) .. ',"timestamp":"' .. timestamp() .. '","method":' .. quoteOrNull(method) ..
        ',"changes":' .. (changes or 'null') .. ',"limitType":' .. quoteOrNull(limitType) .. ',"limit":' .. (limit or 'null') .. '}\n\n',
    }
    if kind then
      kinds[kind] = frame
    end
  end
  frames[#frames + 1] = frame[1] .. quoteOrNull(resource) .. ',"requester":' .. quoteOrNull(requester) .. frame[2]
end

-- Writes fields of the tenant's hash, and publishes what there is to tell. Takes fields and values, alternately.
local function publish(fields)
  local isToTell = #frames > 0
  if isToTell or lapsed then
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
  if isToTell then
    redis.call('SPUBLISH', tenant.base .. 'events', tenant.messages .. ' ' .. tenant.publisher .. '\n' .. table.concat(frames))
    frames = {}
  end
end
