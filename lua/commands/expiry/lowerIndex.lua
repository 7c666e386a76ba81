--[[
  Makes sure that the expiry index holds a tenant at or before a time. Always lowers what is there, by 1 ms at the
  least: a sweep that is about to raise it sees by that that it must not.

  KEYS[1]  shard of the index: a sorted set of tenants by ms

  ARGV[1]  tenant
  ARGV[2]  ms

  Returns nothing.
]]
local old = redis.call('ZSCORE', shardKey, ARGV[1])
redis.call('ZADD', shardKey, old and math.min(old - 1, ARGV[2]) or ARGV[2], ARGV[1])
