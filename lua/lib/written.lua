-- How many bytes this script has written to the tenant's hashes, sorted sets and history: at least as many as Redis
-- needs for them. The tenant's field `bytes` has what the tenant kept when it was last measured (measureBytes.lua), and
-- what scripts have written since. Nothing is subtracted for what they remove, so it cannot drift below the truth.
--@include tenant
local written = 0
-- The most that Redis needs for an entry besides its bytes; and it rounds these up, by a quarter at most.
local PER_ENTRY = 128

-- Adds the tenant's field to write: field, value.
local function addBytes(fields)
  if written > 0 and tenant.bytes < math.huge then
    fields[#fields + 1] = 'bytes'
    fields[#fields + 1] = string.format('%.0f', tenant.bytes + written)
  end
end
