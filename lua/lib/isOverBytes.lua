--@rare
-- The limit of bytes (docs/specification.md#bytes-of-a-tenant).
--@include limits
--@include measureBytes

-- Returns true if the tenant keeps as many bytes as its tier allows. The field `bytes` is the most that it may be, so few
-- calls measure.
local function isOverBytes()
  return bytesNow() >= limits.bytes
end
