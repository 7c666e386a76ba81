-- Returns Redis's time in us since 1970, UTC. Takes the key of the tenant, whose clock a test may set.
local call = redis.call
-- The last second, as text, and its us. Most calls come in the same one, and Lua takes some hundred instructions to
-- read a number.
local second, secondUs
return function(_)
  local time = call('TIME')
  if time[1] ~= second then
    second, secondUs = time[1], time[1] * 1000000
  end
  return secondUs + time[2]
end
