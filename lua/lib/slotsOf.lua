-- Counts the slots that items ask for.

-- Returns the number of slots that items ask for: of an item to release, 1.
local function slotsOf(items)
  local sum = 0
  for _, item in ipairs(items) do
    sum = sum + (item.count ~= '' and tonumber(item.count) or 1)
  end
  return sum
end
