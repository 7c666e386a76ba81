--@rare
-- The limit of bytes (docs/specification.md#bytes-of-a-tenant).
--@include limits
--@include measureBytes

-- Returns true if the tenant keeps as many bytes as its tier allows. Call it only if tenant.bytes, which is never too
-- low, reaches the limit: it may measure.
local function isOverBytes()
  return bytesNow() >= limits.bytes
end
