--[[
  Returns labels that registered resources have, for people to choose from. A key with many values names single
  resources, as a serial number does, so none of its labels is returned.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  maximum number of labels
  ARGV[3]  maximum number of values of one key

  Returns {'OK', label, ...}, sorted. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local keys = require('frame/keys')

local MAX_LOOKS = 400

-- Returns the first label in the index (definitions/redefine.lua) from a bound on; nil at the end.
local function labelFrom(bound)
  local found = redis.call('ZRANGE', keys.index, bound, '(m', 'BYLEX', 'LIMIT', 0, 1)[1]
  return found and string.match(found, '^l([^\n]*)\n')
end

return function(_, args)
  local refused = admission.admit('definitions')
  if refused then
    return refused
  end
  local limit, maxValues = tonumber(args[2]), tonumber(args[3])
  local reply, bound, key, ofKey = { 'OK' }, '[l', nil, {}
  for _ = 1, MAX_LOOKS do
    local label = labelFrom(bound)
    local keyNow = label and string.match(label, '^[^=]*')
    if keyNow ~= key then
      for _, one in ipairs(ofKey) do
        reply[#reply + 1] = one
      end
      key, ofKey = keyNow, {}
    end
    if not label or #reply > limit then
      break
    end
    ofKey[#ofKey + 1] = label
    bound = '(l' .. label .. '\11'
    if #ofKey > maxValues then
      -- '>' follows '='.
      bound, ofKey = '[l' .. key .. '>', {}
    end
  end
  while #reply > limit + 1 do
    reply[#reply] = nil
  end
  return reply
end
