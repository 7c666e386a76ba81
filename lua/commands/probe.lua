--[[
  Proves that scripts run and write here, which PING does not: after a failover a replica still answers PING.

  KEYS[1]  any key of its own

  Returns 'OK'.
]]
redis.call('SET', KEYS[1], '1', 'PX', 10000)
return 'OK'
