-- Finds resources that are registered under the name of a slot.
--@include definitions

-- Returns the registered resource whose name is a slot name of the pool, the lowest index first; nil if none is.
local function nameOfSlot(pool, capacity)
  spend(3)
  local from, to = '[s' .. pool .. '\n', string.format('(s%s\n%07d', pool, capacity)
  local member = redis.call('ZRANGE', indexKey, from, to, 'BYLEX', 'LIMIT', 0, 1)[1]
  return member and pool .. '_' .. tonumber(string.sub(member, -7))
end
