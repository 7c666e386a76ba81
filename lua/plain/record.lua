-- The record of a reservation of a plain name: form 2 of lua/slots/codec.lua.
local plainRecord = {}
local FORM = '>BsI7I6I6c22ss'
-- The release token of a grant that nobody has claimed (lua/slots/codec.lua).
local UNCLAIMED = '!!!!!!!!!!!!!!!!!!!!!!'

function plainRecord.pack(owner, fence, reservedAt, expiresAt, token, type, label)
  return struct.pack(FORM, 2, owner, fence, reservedAt, expiresAt, token, type, label)
end

-- Returns owner, fencing token, reservedAt, expiresAt, release token and type; nil if the record has another form, or
-- is not claimed.
function plainRecord.unpack(packed)
  if string.byte(packed) ~= 2 then
    return nil
  end
  local _, owner, fence, reservedAt, expiresAt, token, type = struct.unpack(FORM, packed)
  if token == UNCLAIMED then
    return nil
  end
  return owner, fence, reservedAt, expiresAt, token, type
end
return plainRecord
