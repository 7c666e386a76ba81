--[[
  Reserves resources: all items of one request, in their order, each on its own (decisions, sections 4 and 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  SHA-256 of the API key, hexadecimal
  ARGV[2]  ms: the time at which the expiry index now holds the tenant; '' where nothing was written there
  ARGV[3]  the first of five for each item:
           resource, requester, lease in ms ('' never ends), resource type ('' the default), release token (22 characters)

  Returns {'OK', item, ...}, an item being
    {'ACQUIRED', fencing token, expires at ms or 0}
    {'ALREADY_HAD', fencing token, expires at ms or 0, release token}
    {'ALREADY_HELD'}
  or {'NO_KEY'}, {'NO_TENANT'}, {'AGAIN'}; or {'INDEX', ms}: nothing was done, since the expiry index must first hold the
  tenant at or before that time.
]]
--@include clock
--@include gate
--@include tenant
--@include codec
--@include slots
if expire(100) then
  commit()
  return { 'AGAIN' }
end
if ARGV[2] ~= '' then
  indexed = math.min(indexed, ARGV[2])
end

local resources = {}
for i = 3, #ARGV, 5 do
  resources[#resources + 1] = ARGV[i]
end
read(resources)

local firstDue = math.huge
local reply = { 'OK' }
for i = 3, #ARGV, 5 do
  local resource, requester, token = ARGV[i], ARGV[i + 1], ARGV[i + 4]
  local record = records[resource]
  if not record then
    local fencingToken, expiresAt = take(resource, requester, ARGV[i + 2], token, ARGV[i + 3])
    if expiresAt > 0 and expiresAt < firstDue then
      firstDue = expiresAt
    end
    reply[#reply + 1] = { 'ACQUIRED', fencingToken, expiresAt }
  else
    local _, _, owner, fencingToken, _, expiresAt, held = struct.unpack(RESERVATION, record)
    if owner ~= requester then
      reply[#reply + 1] = { 'ALREADY_HELD' }
    elseif held == token then
      -- The very call that acquired it, sent again because its answer was lost.
      reply[#reply + 1] = { 'ACQUIRED', fencingToken, expiresAt }
    else
      reply[#reply + 1] = { 'ALREADY_HAD', fencingToken, expiresAt, held }
    end
  end
end

if firstDue < indexed then
  return { 'INDEX', firstDue }
end
commit()
return reply
