--[[
  Makes sure that the expiry index has a tenant at or before a time. An existing entry is always lowered, by at least
  1 ms: verbs/expiry/raiseIndex.lua compares the time, so a sweep that is about to raise the entry then leaves it.

  KEYS[1]  shard of the index: a sorted set of tenants by ms

  ARGV[1]  tenant
  ARGV[2]  ms

  Returns nothing.
]]
return function(keys, args)
  local old = redis.call('ZSCORE', keys.shard, args[1])
  redis.call('ZADD', keys.shard, old and math.min(old - 1, args[2]) or args[2], args[1])
end
