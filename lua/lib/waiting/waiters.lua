-- Counts tickets for those who look at resources.

-- Returns the number of tickets that wait for a resource or a slot, to be sent as text.
local function waitersOf(name)
  if not tenant.queueText then
    return '0'
  end
  spend(3)
  return redis.call('ZLEXCOUNT', linesKey, '[' .. name .. '\nu', '(' .. name .. '\nx')
end
