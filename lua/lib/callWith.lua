-- Calls a variadic command with a list of any length, a thousand arguments at a time: a whole number of pairs. An empty
-- list makes no call.
local function callWith(command, key, list)
  for from = 1, #list, 1000 do
    redis.call(command, key, unpack(list, from, math.min(from + 999, #list)))
  end
end
