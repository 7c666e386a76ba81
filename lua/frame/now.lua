-- Returns Redis's time in us since 1970, UTC. Takes the key of the tenant, whose clock a test may set.
local call = redis.call
return function(_)
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end
