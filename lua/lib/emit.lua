-- Collects events. publish() sends them.
--@include publish
local listening = tenant.listenUntil > nowMs
-- sharedFields[kind]: JSON of the fields that are the same in all events of a kind.
local sharedFields = {}

-- Returns a name as JSON. Names contain no control characters.
local function quote(text)
  if string.find(text, '["\\]') then
    text = string.gsub(text, '["\\]', '\\%0')
  end
  return '"' .. text .. '"'
end

-- Adds an event with these fields, each nil if it does not apply:
--   requestType, explanation, apiKeyLabel ('' none), resourceType ('' the default type)
--   resource, requester
--   fencingToken (digits), expiresAt (ms, 0 never), acquiredSlots (JSON): of a reservation that was made or renewed
--   note: of a reservation that was made
--   method, changes (JSON): of a transaction
--   actor: of a release or a reset, who made it; of others it is never given
--   limitType, limit: of a limit that was reached
local function emit(type, fields)
  if not listening then
    lapsed = tenant.listenUntil > 0
    return
  end
  local kind = table.concat({
    type, fields.requestType or '', fields.explanation or '', fields.resourceType or '\n', fields.apiKeyLabel,
    fields.actor or '',
  }, '\n')
  local shared = sharedFields[kind]
  if not shared then
    local function quoteOrNull(text)
      return text and text ~= '' and quote(text) or 'null'
    end
    shared = '"requestType":' .. quoteOrNull(fields.requestType) .. ',"explanation":' ..
      quoteOrNull(fields.explanation) .. ',"resourceType":' ..
      quoteOrNull(fields.resourceType == '' and 'UserDefined' or fields.resourceType) .. ',"apiKeyLabel":' ..
      quoteOrNull(fields.apiKeyLabel) ..
      ((type == 'UNRESERVED' or type == 'RESET') and ',"actor":' .. quoteOrNull(fields.actor) or '')
    sharedFields[kind] = shared
  end
  local event = '{"type":"' .. type .. '",'
  if fields.fencingToken then
    event = event .. '"expiresAt":' .. (fields.expiresAt > 0 and fields.expiresAt or 'null') .. ',' .. shared ..
      ',"acquiredSlots":' .. (fields.acquiredSlots or 'null') .. ',"fencingToken":' .. fields.fencingToken ..
      (fields.note and ',"note":' .. quote(fields.note) or '')
  else
    event = event .. shared
  end
  -- These have either pair of fields.
  local isWait = type == 'WAITING' or type == 'WAIT_ENDED'
  if fields.resource then
    event = event .. ',"resource":' .. quote(fields.resource) .. ',"requester":' .. quote(fields.requester)
  elseif isWait then
    event = event .. ',"resource":null,"requester":null'
  end
  if fields.changes then
    event = event .. ',"method":' .. quote(fields.method) .. ',"changes":' .. fields.changes
  elseif fields.limitType then
    event = event .. ',"limitType":' .. quote(fields.limitType) .. ',"limit":' .. fields.limit
  elseif isWait then
    event = event .. ',"method":null,"changes":null'
  end
  events[#events + 1] = event .. '}'
end
