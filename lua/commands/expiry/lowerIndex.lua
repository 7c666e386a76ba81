--[[
  Makes sure that the expiry index has a tenant at or before a time. An existing entry is always lowered, by at least
  1 ms: raiseIndex.lua compares the time, so a sweep that is about to raise the entry then leaves it.

  KEYS[1]  shard of the index: a sorted set of tenants by ms

  ARGV[1]  tenant
  ARGV[2]  ms

  Returns nothing.
]]
local old = redis.call('ZSCORE', shardKey, ARGV[1])
redis.call('ZADD', shardKey, old and math.min(old - 1, ARGV[2]) or ARGV[2], ARGV[1])
