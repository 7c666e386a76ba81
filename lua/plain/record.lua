-- The record of a reservation of a plain name: form 2 of lua/lib/codec.lua.
local plainRecord = {}
local FORM = '>BsI7I6I6c22ss'
-- The release token of a grant that nobody has claimed (lua/lib/unclaimed.lua).
local UNCLAIMED = '!!!!!!!!!!!!!!!!!!!!!!'

function plainRecord.pack(record)
  return struct.pack(
    FORM, 2, record.owner, record.fence, record.reservedAt, record.expiresAt, record.token, record.type, record.label
  )
end

-- Returns a record; nil if it has another form, or is not claimed.
function plainRecord.unpack(packed)
  if string.byte(packed) ~= 2 then
    return nil
  end
  local _, owner, fence, reservedAt, expiresAt, token, type, label = struct.unpack(FORM, packed)
  if token == UNCLAIMED then
    return nil
  end
  return {
    owner = owner, fence = fence, reservedAt = reservedAt, expiresAt = expiresAt, token = token, type = type,
    label = label, packed = packed,
  }
end
return plainRecord
