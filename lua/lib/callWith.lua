-- Calls a variadic command with a list of any length, 1,000 arguments at a time (an even number, so pairs stay
-- together). An empty list makes no call. Returns the sum of the replies.
local function callWith(command, key, list)
  local sum = 0
  for from = 1, #list, 1000 do
    sum = sum + redis.call(command, key, unpack(list, from, math.min(from + 999, #list)))
  end
  return sum
end
