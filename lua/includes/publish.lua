-- Events (interface, "Events"; decisions, section 7), each a frame as streams send it. They are published all at once by the
-- script that changes the state, after it has: so the order of events is the order of changes. Where no stream of the tenant
-- is open, nothing is built. What is published at once is a message, and each is numbered: a stream that misses a number ends.
local frames = {}
local listening = listenUntil > nowMs
-- Whether there was something to tell when the lease of every stream had lapsed.
local unheard = false
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

-- Adds an event. What does not apply is nil; a resource type of '' is the default one, a label of '' none; changes are JSON.
local function tell(type, requestType, resource, requester, explanation, resourceType, label, method, changes, limitType, limit)
  if not listening then
    unheard = listenUntil > 0
    return
  end
  local kind = not method and not limitType and table.concat({
    type, requestType or '', explanation or '', resourceType or '\n', label or '',
  }, '\n')
  local frame = kinds[kind]
  if not frame then
    frame = {
      'event: ' .. type .. '\ndata: {"type":"' .. type .. '","tenantId":"' .. string.match(base, '^{(.-)}') .. '","resource":',
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

local function publish()
  if #frames > 0 then
    local number = redis.call('HINCRBY', KEYS[1], 'messages', 1)
    redis.call('SPUBLISH', base .. 'events', number .. '\n' .. table.concat(frames))
    frames = {}
  elseif unheard then
    -- The number is left out for the streams whose lease has lapsed: should the clock go back, they must not go on as if nothing had been told.
    redis.call('HINCRBY', KEYS[1], 'messages', 1)
    redis.call('HSET', KEYS[1], 'listenUntil', 0)
    unheard = false
  end
end
