-- Calls a variadic command with a list of any length, 1,000 arguments at a time (an even number, so pairs stay
-- together). An empty list makes no call. Returns the sum of the replies. Counts what HSET and ZADD write
-- (written.lua).
--@include written
local function callWith(command, key, list)
  local sum = 0
  if command == 'HSET' then
    for at = 1, #list, 2 do
      written = written + PER_ENTRY + 1.25 * (#list[at] + #list[at + 1])
    end
  elseif command == 'ZADD' then
    for at = 2, #list, 2 do
      written = written + PER_ENTRY + 1.25 * #list[at]
    end
  end
  for from = 1, #list, 1000 do
    sum = sum + redis.call(command, key, unpack(list, from, math.min(from + 999, #list)))
  end
  return sum
end
