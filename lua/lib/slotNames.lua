-- Names of slots: the slots of a pool are <pool>_0, <pool>_1 and so on.
local poolNames, poolIndexes = {}, {}

-- Splits 'pool_12' into 'pool', 12. Returns nil if the name cannot be that of a slot: no number at its end, a leading
-- zero, or more than six digits, which no capacity has (MAX_CAPACITY in src/config/config.ts).
local function slotIndex(slot)
  local known = poolNames[slot]
  if known == nil then
    local last, pool, index = string.byte(slot, -1), nil, nil
    if last >= 48 and last <= 57 then
      pool, index = string.match(slot, '^(.+)_(%d+)$')
    end
    known = pool and #index < 7 and (index == '0' or string.byte(index) ~= 48) and pool or false
    poolNames[slot], poolIndexes[slot] = known, tonumber(index)
  end
  if known then
    return known, poolIndexes[slot]
  end
end
