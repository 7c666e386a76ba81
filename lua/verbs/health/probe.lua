--[[
  Proves that this server runs scripts and accepts writes. PING does not: after a failover, a replica still answers it.

  KEYS[1]  probe: a key of its own

  Returns 'OK'.
]]
return function(keys)
  redis.call('SET', keys.probe, '1', 'PX', 10000)
  return 'OK'
end
