-- The limits of what definitions a tenant may have: their number, and the bytes that it keeps.
--@include isOverBytes
--@include limits
--@include redefine
--@include refuse

-- Returns nil; or, if the changed definitions (redefine.lua) exceed a limit of the tier, the reply that refuses the
-- request. Nothing may have been written before.
local function overDefinitionLimits()
  local more = 0
  for _, name in ipairs(redefinedOrder) do
    more = more + (redefined[name] and 0 or 1)
  end
  if more > 0 and tenant.definitions + more > limits.definitions then
    return refuse(nil, 'ResourceDefinitions', limits.definitions, more, 60)
  elseif #redefinedOrder > 0 and limits.bytes < NO_LIMIT and tenant.bytes >= limits.bytes and isOverBytes() then
    return refuse(nil, 'StoredBytes', limits.bytes, 1, 1)
  end
end
