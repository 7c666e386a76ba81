--[[
  Says who holds resources, without changing anything but what is due (decisions, section 6).

  KEYS[1]  the tenant's hash

  ARGV[1]  SHA-256 of the API key, hexadecimal
  ARGV[2]  the first of two for each item: resource, requester asked about ('' none)

  Returns {'OK', item, ...}, an item being
    {}                                            not reserved
    {owner, expires at ms or 0, held by the requester asked about: 1 or 0}
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
for i = 2, #ARGV, 2 do
  resources[#resources + 1] = ARGV[i]
end
read(resources)

local reply = { 'OK' }
for i = 2, #ARGV, 2 do
  local record = records[ARGV[i]]
  if record then
    local _, _, owner, _, _, expiresAt = struct.unpack(RESERVATION, record)
    reply[#reply + 1] = { owner, expiresAt, owner == ARGV[i + 1] and 1 or 0 }
  else
    reply[#reply + 1] = {}
  end
end

commit()
return reply
