--[[
  Counts refused requests of an hour, by resource and by limit, since an instance's last call
  (docs/specification.md#refusals). At most 1,000 resources of an hour have a count of their own.

  ARGV[1]  the hour of the day, 0 to 23
  ARGV[2]  what was refused: r<resource>, l<limit type>, or o for other resources. How many times follows, and further
           pairs

  Returns nothing.
]]
return function(keys, args)
  -- A tenant that is deleted keeps nothing.
  if string.byte(redis.call('HGET', keys.tenant, 'hot') or '\0') == 0 then
    return
  end
  local MAX_NAMES, KEPT_S = 1000, 691200
  local hour, names = args[1], nil
  for i = 2, #args, 2 do
    local field = hour .. args[i]
    if string.byte(args[i]) == 114 then
      names = names or tonumber(redis.call('HGET', keys.refusals, hour .. 'n') or 0)
      local isKnown = redis.call('HEXISTS', keys.refusals, field) == 1
      if not isKnown and names >= MAX_NAMES then
        field = hour .. 'o'
      elseif not isKnown then
        names = names + 1
      end
    end
    redis.call('HINCRBY', keys.refusals, field, args[i + 1])
  end
  if names then
    redis.call('HSET', keys.refusals, hour .. 'n', names)
  end
  redis.call('EXPIRE', keys.refusals, KEPT_S)
end
