-- Calls a variadic command with a list of any length, a thousand arguments at a time: a whole number of pairs. An empty
-- list makes no call. Returns the sum of the replies.
local function callWith(command, key, list)
  local sum = 0
  for from = 1, #list, 1000 do
    sum = sum + redis.call(command, key, unpack(list, from, math.min(from + 999, #list)))
  end
  return sum
end
