-- Returns true if a field of the slots hash is that of a SHARED reservation (shared.lua), and no slot.
local function isShare(field)
  return string.byte(field, -1) == 1
end
