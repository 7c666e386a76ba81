--[[
  Releases reservations: all items of one request, in their order, each on its own (decisions, sections 4 and 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  SHA-256 of the API key, hexadecimal
  ARGV[2]  the first of three for each item: resource, requester, release token (22 characters; '' none that could be one)

  Returns {'OK', item, ...}, an item being
    {'RELINQUISHED', slot, ...}   the slots that became free, the resource's own first
    {'NOT_RESERVED'}
    {'DOESNT_OWN_RESERVATION'}
    {'INVALID_RELEASE_TOKEN'}     the requester has the reservation, and the token is not that reservation's
  or {'NO_KEY'}, {'NO_TENANT'}, {'AGAIN'}.
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

local resources = {}
for i = 2, #ARGV, 3 do
  resources[#resources + 1] = ARGV[i]
end
read(resources)

local reply = { 'OK' }
for i = 2, #ARGV, 3 do
  local resource, requester, token = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local record = records[resource]
  if not record then
    reply[#reply + 1] = { 'NOT_RESERVED' }
  else
    local _, _, owner, _, _, expiresAt, held = struct.unpack(RESERVATION, record)
    if owner ~= requester then
      reply[#reply + 1] = { 'DOESNT_OWN_RESERVATION' }
    elseif held ~= token then
      reply[#reply + 1] = { 'INVALID_RELEASE_TOKEN' }
    else
      drop(resource, expiresAt)
      reply[#reply + 1] = { 'RELINQUISHED', resource }
    end
  end
end

commit()
return reply
