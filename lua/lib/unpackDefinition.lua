--@rare
-- Reads a stored definition (definitions.lua).
local DEFINITION = '>BI4Bs'

-- Returns it as a table.
local function unpackDefinition(packed)
  local _, capacity, flags, parent, at = struct.unpack(DEFINITION, packed)
  local more = string.byte(packed, at) or 0
  return {
    capacity = capacity, parent = parent, pooled = flags % 2 == 1, hasBlockers = flags >= 2,
    isGroup = more % 2 == 1, hasLabels = more >= 2,
  }
end
